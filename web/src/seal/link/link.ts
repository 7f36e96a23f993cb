// The link (crypto.md section 4): what it holds, its check, and its one spelling.
import { concat, equal, readU32, u32, utf8, type Bytes } from "../bytes";
import { fromBase32, fromHex, toBase32 } from "../encoding";
import { idBytes, idFromBytes, type SessionId } from "../ids";
import { label, sha256 } from "../kdf";
import { KEY_LEN } from "../limits";
import { Secret, type LinkKind } from "../secret";

const LABEL = label("link");
const CHECK_LEN = 4;
const EPOCH_AT = KEY_LEN;
const CHECK_AT = KEY_LEN + 4;

export interface Link {
  /** Scheme, host and port as the sender wrote them. */
  readonly origin: string;
  readonly kind: LinkKind;
  readonly session: SessionId;
  readonly epoch: number;
  readonly secret: Secret;
}

/** The link as it is copied and sent. It is the key to the session. */
export function formatLink(link: Link): string {
  const secret = link.secret.expose();
  const check = linkCheck(link.kind, link.session, link.epoch, secret);
  const token = toBase32(concat(secret, u32(link.epoch), check));
  return `${link.origin}/s/${link.session.replaceAll("-", "")}#dp1${letterOf(link.kind)}${token}`;
}

/** An error check, not a defence; it covers the session, so that a link stitched from two is noticed. */
export function linkCheck(kind: LinkKind, session: SessionId, epoch: number, secret: Uint8Array): Bytes {
  return sha256(LABEL, utf8(letterOf(kind)), idBytes(session), u32(epoch), secret).slice(0, CHECK_LEN);
}

/** Takes apart what the expression of section 4.1 found; null when the check is wrong. The epoch may still be 0. */
export function linkOf(origin: string, uuid: string, letter: string, token: string): Link | null {
  const session = idFromBytes<"session">(fromHex(uuid.replaceAll("-", "")));
  const kind: LinkKind = letter === "f" ? "full" : "view";
  const bytes = fromBase32(token);
  const epoch = readU32(bytes, EPOCH_AT);
  const secret = bytes.subarray(0, KEY_LEN);
  if (!equal(bytes.subarray(CHECK_AT), linkCheck(kind, session, epoch, secret))) return null;
  return { origin, kind, session, epoch, secret: new Secret(secret) };
}

function letterOf(kind: LinkKind): string {
  return kind === "full" ? "f" : "v";
}
