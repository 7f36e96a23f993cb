// What may stay in the address bar once the link was read. Pure.

const SESSION = /^\/s\/[0-9a-f-]{0,36}/i;

/** The path of the page less all that can be a part of a link: also where a program wrote its `#` as `%23`. */
export function withoutLink(path: string): string {
  return SESSION.exec(path)?.[0] ?? "/s/";
}
