// The ids of a session's things (crypto.md section 2). In the program an id is its text, a lower-case UUID, so that
// it can be compared and be a key of a map; its type says what it is the id of.
import { isZero, type Bytes } from "./bytes";
import { fromHex, toHex } from "./encoding";
import { SealError } from "./error";
import { ID_LEN } from "./limits";
import { systemRandom, type Random } from "./random";

declare const of: unique symbol;

/** The text of an id. Only the functions of this file make one. */
export type Id<What extends string> = string & { readonly [of]: What };

export type SessionId = Id<"session">;
export type ParticipantId = Id<"participant">;
export type MessageId = Id<"message">;
export type ProposalId = Id<"proposal">;
export type AttachmentId = Id<"attachment">;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** In place of an id where there is none. */
export const NO_ID: Uint8Array = new Uint8Array(ID_LEN);

export const sessionId = parser<"session">();
export const participantId = parser<"participant">();
export const messageId = parser<"message">();
export const proposalId = parser<"proposal">();
export const attachmentId = parser<"attachment">();

/** Throws bad_encoding for anything but a lower-case UUID with hyphens. */
function parser<What extends string>(): (text: string) => Id<What> {
  return (text) => {
    if (!isUuid<What>(text)) throw new SealError("bad_encoding");
    return text;
  };
}

function isUuid<What extends string>(text: string): text is Id<What> {
  return UUID.test(text);
}

export function idBytes(id: Id<string>): Bytes {
  return fromHex(id.replaceAll("-", ""));
}

/** As `idBytes`; zeros for none. */
export function idBytesOrNone(id: Id<string> | null): Uint8Array {
  return id === null ? NO_ID : idBytes(id);
}

/** From 16 bytes. */
export function idFromBytes<What extends string>(bytes: Uint8Array): Id<What> {
  if (bytes.length !== ID_LEN) throw new SealError("bad_encoding");
  const hex = toHex(bytes);
  return parser<What>()(
    [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-"),
  );
}

/** As `idFromBytes`; null for zeros. */
export function idOrNone<What extends string>(bytes: Uint8Array): Id<What> | null {
  return isZero(bytes) ? null : idFromBytes(bytes);
}

/** A new id, a UUID of version 4. */
export function drawId<What extends string>(random: Random = systemRandom): Id<What> {
  const bytes = random(ID_LEN);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return idFromBytes(bytes);
}
