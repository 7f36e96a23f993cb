// The title of a session and the goal of a proposal, kinds 2 and 4 of crypto.md section 7: one string each.
import type { Bytes } from "./bytes";
import { SealError } from "./error";
import type { ParticipantId, ProposalId } from "./ids";
import type { Signing } from "./identity";
import { parseObject, stringOf, writeObject, type JsonObject } from "./json";
import type { ReadingKeys } from "./keys";
import { SMALL_JSON_MAX } from "./limits";
import type { Random } from "./random";
import { openRecord, sealRecord, type Author } from "./record";

/** Throws too_large. */
export function sealTitle(keys: ReadingKeys, me: Signing, title: string, random?: Random): Bytes {
  return sealRecord(keys, me, { kind: "title", item: null }, smallJson({ title }), random);
}

export async function openTitle(
  keys: ReadingKeys,
  author: Author,
  setBy: ParticipantId,
  sealed: Uint8Array,
): Promise<string> {
  const rest = await openRecord(keys, author, { kind: "title", participant: setBy, item: null }, sealed);
  return stringOf(parseObject(rest), "title");
}

/** Throws too_large. */
export function sealGoal(
  keys: ReadingKeys,
  me: Signing,
  proposal: ProposalId,
  goal: string,
  random?: Random,
): Bytes {
  return sealRecord(keys, me, { kind: "goal", item: proposal }, smallJson({ goal }), random);
}

export async function openGoal(
  keys: ReadingKeys,
  author: Author,
  proposer: ParticipantId,
  proposal: ProposalId,
  sealed: Uint8Array,
): Promise<string> {
  const rest = await openRecord(
    keys,
    author,
    { kind: "goal", participant: proposer, item: proposal },
    sealed,
  );
  return stringOf(parseObject(rest), "goal");
}

/** The text of a small kind. Throws bad_content or too_large. */
export function smallJson(object: JsonObject): Bytes {
  const json = writeObject(object);
  if (json.length > SMALL_JSON_MAX) throw new SealError("too_large");
  return json;
}
