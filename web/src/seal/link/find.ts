// Finding the one link in pasted text (crypto.md section 4.1), the same for a paste, the clipboard and the address of
// the page. First what mail, chat and editors do to a text is undone, then one expression finds links in it.
import { utf8 } from "../bytes";
import { SealError } from "../error";
import { LINK_INPUT_MAX } from "../limits";
import { linkOf, type Link } from "./link";

const DECODING_ROUNDS = 4;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

const IGNORABLE = /[\u00AD\u034F\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFE00-\uFE0F\uFEFF]/g;
const SPACE_AND_WRAPPING = /[\t-\r \u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000>=\\|]/g;
const DASHES = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/g;
const CAPITALS = /[A-Z]/g;
const PERCENT_RUN = /(?:%[0-9A-Fa-f]{2})+/g;

const UUID = "[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}";
// Counts code points, as the other implementation does; hence the flag u.
const BEFORE_FRAGMENT = "/?(?:\\?[^#]{0,512})?";
const TAG = `/s/${UUID}${BEFORE_FRAGMENT}#dp`;
const LINK = new RegExp(
  `(https?)://(\\[[0-9a-f:.]+\\]|[a-z0-9.-]+)(:[0-9]{1,5})?/s/(${UUID})${BEFORE_FRAGMENT}#dp1([fv])([a-z2-7]{64})`,
  "gu",
);
const OTHER_VERSION = new RegExp(`${TAG}(?:[02-9]|1[a-eg-uw-z2-7])`, "u");
const CUT = new RegExp(`${TAG}|#dp1[fv]`, "u");
const ID_ONLY = new RegExp(`/s/${UUID}(?![0-9a-f-])`, "u");
const BEGUN = /https?:\/\/[^/]{1,255}\/s\//u;

/** The link in a text. Throws input_too_long, or a link_… code that says what is there instead. */
export function findLink(text: string): Link {
  // No text takes fewer bytes than it has units, so a huge one is not even encoded.
  if (text.length > LINK_INPUT_MAX || utf8(text).length > LINK_INPUT_MAX)
    throw new SealError("input_too_long");
  const plain = undone(text);
  const matches = [...plain.matchAll(LINK)];
  const found = new Map<string, Link>();
  for (const [, scheme = "", host = "", port = "", uuid = "", letter = "", token = ""] of matches) {
    const link = linkOf(`${scheme}://${host}${port}`, uuid, letter, token);
    if (link !== null) found.set([link.origin, link.session, letter, token].join(" "), link);
  }
  const [link, another] = found.values();
  if (another !== undefined) throw new SealError("link_ambiguous");
  if (link !== undefined) return allowed(link);
  if (matches.length > 0) throw new SealError("link_checksum");
  if (OTHER_VERSION.test(plain)) throw new SealError("link_version");
  if (CUT.test(plain)) throw new SealError("link_truncated");
  if (ID_ONLY.test(plain)) throw new SealError("link_no_key");
  throw new SealError(BEGUN.test(plain) ? "link_truncated" : "link_missing");
}

function allowed(link: Link): Link {
  const [scheme, host = ""] = link.origin.split("://");
  if (scheme === "http" && !LOOPBACK.includes(host.replace(/:[0-9]+$/, "")))
    throw new SealError("link_insecure");
  if (link.epoch === 0) throw new SealError("link_epoch");
  return link;
}

/** Steps 2 and 3 of section 4.1: percent-encoding, hidden characters, wrapping and quoting taken away, capitals lowered. */
export function undone(text: string): string {
  let plain = text;
  for (let round = 0; round < DECODING_ROUNDS; round++) {
    plain = plain.replace(IGNORABLE, "");
    const decoded = plain.replace(PERCENT_RUN, percentDecoded);
    if (decoded === plain) break;
    plain = decoded;
  }
  return plain
    .replace(IGNORABLE, "")
    .replace(SPACE_AND_WRAPPING, "")
    .replace(DASHES, "-")
    .replace(CAPITALS, (letter) => letter.toLowerCase());
}

/** Bytes that are no UTF-8 become U+FFFD. */
function percentDecoded(run: string): string {
  const bytes = Uint8Array.from(run.slice(1).split("%"), (digits) => Number.parseInt(digits, 16));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
