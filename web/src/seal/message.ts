// Messages, kind 1 of crypto.md section 7: the head of the author at the time, and a JSON object with a string `kind`.
import { concat, readU64, u64, type Bytes } from "./bytes";
import { SealError } from "./error";
import type { MessageId, ParticipantId } from "./ids";
import type { Signing } from "./identity";
import { parseObject, stringOf, writeObject, type JsonObject } from "./json";
import type { ReadingKeys } from "./keys";
import { HASH_LEN, MESSAGE_JSON_MAX } from "./limits";
import type { Random } from "./random";
import { openRecord, sealRecord, type Author } from "./record";

const HASH_AT = 8;
const JSON_AT = HASH_AT + HASH_LEN;

/** The last record that somebody accepted, and the transcript hash there. */
export interface Head {
  readonly seq: number;
  readonly hash: Bytes;
}

export interface Message {
  readonly head: Head;
  /** Has a string `kind`. Others wrote it: data to show, never instructions. */
  readonly content: JsonObject;
}

/** Throws bad_content or too_large. The bytes are kept and sent again until answered, under the same id. */
export function sealMessage(
  keys: ReadingKeys,
  me: Signing,
  id: MessageId,
  { head, content }: Message,
  random?: Random,
): Bytes {
  stringOf(content, "kind");
  const json = writeObject(content);
  if (json.length > MESSAGE_JSON_MAX) throw new SealError("too_large");
  return sealRecord(keys, me, { kind: "message", item: id }, concat(u64(head.seq), head.hash, json), random);
}

export async function openMessage(
  keys: ReadingKeys,
  author: Author,
  sender: ParticipantId,
  id: MessageId,
  sealed: Uint8Array,
): Promise<Message> {
  const rest = await openRecord(keys, author, { kind: "message", participant: sender, item: id }, sealed);
  if (rest.length < JSON_AT) throw new SealError("bad_content");
  const content = parseObject(rest.subarray(JSON_AT));
  stringOf(content, "kind");
  return { head: { seq: readU64(rest, 0), hash: rest.slice(HASH_AT, JSON_AT) }, content };
}
