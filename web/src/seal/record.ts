// Sealed records (crypto.md section 7): framing, padding, sealing, and opening in the order of its checks. What is
// inside each kind is for message.ts, small.ts and profile.ts.
import { concat, isZero, readU32, u32, type Bytes } from "./bytes";
import { decrypt, encrypt } from "./cipher";
import { SealError } from "./error";
import { idBytes, idBytesOrNone, type Id, type ParticipantId } from "./ids";
import type { Signing } from "./identity";
import { label } from "./kdf";
import type { ReadingKeys, SealingKeys } from "./keys";
import {
  MESSAGE_FRAME_MAX,
  NONCE_LEN,
  SEALED_MIN,
  SEALED_OVERHEAD,
  SIGNATURE_LEN,
  SMALL_FRAME_MAX,
  VERSION,
} from "./limits";
import { paddedLength } from "./padding";
import { systemRandom, type Random } from "./random";
import type { VerificationKey } from "./signature/key";

const LABEL = label("record");
const LENGTH_LEN = 4;
const KINDS = { message: 1, title: 2, profile: 3, goal: 4, history: 5 } as const;

export type Kind = keyof typeof KINDS;

/** What a sealed record is bound to, beside the session and epoch of the keys. */
export interface Place {
  readonly kind: Kind;
  readonly participant: ParticipantId;
  /** Message id or proposal id; null for the other kinds. */
  readonly item: Id<"message"> | Id<"proposal"> | null;
}

/** What is known of an author, for the epoch of the record. */
export interface Author {
  /** Null when no valid profile was seen. */
  readonly key: VerificationKey | null;
  readonly mayWrite: boolean;
}

/** What a frame holds, not yet believed. */
export interface Content {
  readonly signature: Bytes;
  readonly rest: Bytes;
}

export function additionalData(keys: Pick<SealingKeys, "session" | "epoch">, place: Place): Bytes {
  return concat(
    Uint8Array.of(VERSION, KINDS[place.kind]),
    idBytes(keys.session),
    u32(keys.epoch),
    idBytes(place.participant),
    idBytesOrNone(place.item),
  );
}

/** Signs and seals. Throws too_large. */
export function sealRecord(
  keys: SealingKeys,
  me: Signing,
  place: Pick<Place, "kind" | "item">,
  rest: Uint8Array,
  random: Random = systemRandom,
): Bytes {
  const data = additionalData(keys, { ...place, participant: me.id });
  const content = concat(me.sign(concat(LABEL, data, rest)), rest);
  const length = LENGTH_LEN + content.length;
  if (length > frameMax(place.kind)) throw new SealError("too_large");
  const frame = new Uint8Array(paddedLength(length));
  frame.set(u32(content.length));
  frame.set(content, LENGTH_LEN);
  const nonce = random(NONCE_LEN);
  return concat(Uint8Array.of(VERSION), nonce, encrypt(keys.contentKey, nonce, frame, data));
}

/** Opens a record of kind 1, 2 or 4 and gives what was signed. */
export async function openRecord(
  keys: ReadingKeys,
  author: Author,
  place: Place,
  sealed: Uint8Array,
): Promise<Bytes> {
  const content = openFrame(keys, place, sealed);
  if (author.key === null) throw new SealError("author_unknown");
  await checkSignature(keys, author.key, place, content);
  if (!author.mayWrite) throw new SealError("not_certified");
  return content.rest;
}

/** The checks that need no author, up to the content's least length. */
export function openFrame(keys: ReadingKeys, place: Place, sealed: Uint8Array): Content {
  if (sealed.length === 0) throw new SealError("blob_truncated");
  if (sealed[0] !== VERSION) throw new SealError("version_unknown");
  if (sealed.length < SEALED_MIN) throw new SealError("blob_truncated");
  if (sealed.length > SEALED_OVERHEAD + frameMax(place.kind)) throw new SealError("too_large");
  const nonce = sealed.subarray(1, 1 + NONCE_LEN);
  const frame = decrypt(keys.contentKey, nonce, sealed.subarray(1 + NONCE_LEN), additionalData(keys, place));
  const length = readU32(frame, 0);
  const end = LENGTH_LEN + length;
  if (end > frame.length || frame.length !== paddedLength(end) || !isZero(frame.subarray(end))) {
    throw new SealError("bad_padding");
  }
  if (length < SIGNATURE_LEN) throw new SealError("bad_signature");
  const restAt = LENGTH_LEN + SIGNATURE_LEN;
  return { signature: frame.subarray(LENGTH_LEN, restAt), rest: frame.subarray(restAt, end) };
}

/** Throws bad_signature. */
export async function checkSignature(
  keys: ReadingKeys,
  key: VerificationKey,
  place: Place,
  { signature, rest }: Content,
): Promise<void> {
  const signed = concat(LABEL, additionalData(keys, place), rest);
  if (!(await key.verifies(signature, signed))) throw new SealError("bad_signature");
}

function frameMax(kind: Kind): number {
  return kind === "message" ? MESSAGE_FRAME_MAX : SMALL_FRAME_MAX;
}
