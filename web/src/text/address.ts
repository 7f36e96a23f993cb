// Which addresses in a message may be followed, and what the reader is told of where they lead. All others stay text.
import { isSessionLink } from "../seal";

export interface Address {
  href: string;
  /** The host that is really asked, in the form that can't be mistaken for another (punycode). */
  host: string;
}

const WEB = new Set(["http:", "https:"]);

/**
 * The address, if a reader may follow it: http or https, without a name or password in front of the host (which is
 * where look-alikes hide), and no session link, since that opens in this page's place under somebody else's name.
 */
export function address(written: string): Address | undefined {
  if (!/^https?:\/\//i.test(written)) return undefined;
  let url: URL;
  try {
    url = new URL(written);
  } catch {
    return undefined;
  }
  if (!WEB.has(url.protocol) || url.username !== "" || url.password !== "" || url.host === "")
    return undefined;
  if (isSessionLink(url.href)) return undefined;
  return { href: url.href, host: url.host };
}

/** Whether the text itself shows the host that is asked, so that nothing has to be added to it. */
export function showsHost(text: string, target: Address): boolean {
  const rest = /^https?:\/\/([^/?#]*)/i.exec(text);
  return rest?.[1]?.toLowerCase() === target.host;
}

const TRAILING = /[.,;:!?'"*_~)\]}>]+$/;

/** Where an address ends that is followed by punctuation: a closing bracket belongs to it only if it opened there. */
export function trimmed(found: string): string {
  const end = TRAILING.exec(found);
  if (end === null) return found;
  let kept = end.index;
  for (const sign of end[0]) {
    if (sign !== ")") break;
    const inside = found.slice(0, kept);
    if (inside.split("(").length <= inside.split(")").length) break;
    kept += 1;
  }
  return found.slice(0, kept);
}
