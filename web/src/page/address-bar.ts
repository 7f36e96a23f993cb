// What may stay in the address bar once the link was read. Pure.

const SESSION = /^\/s\/[0-9a-f-]{0,36}/;

/** The path of the page less all that can be a part of a link: also where a program wrote its `#` as `%23`. Capitals carry
 * nothing in it (crypto.md section 4.1, step 3). */
export function withoutLink(path: string): string {
  return SESSION.exec(path.toLowerCase())?.[0] ?? "/s/";
}
