// Step 6 of crypto.md section 9.3: what a record in the chain yields. Nothing here keeps a record out of the chain.
import { equal } from "../bytes";
import { fromBase64Url } from "../encoding";
import { codeOf, SealError } from "../error";
import type { MessageId, ParticipantId } from "../ids";
import { parseObject, stringOf, type JsonObject } from "../json";
import { openMessage, type Head } from "../message";
import type { Reader } from "./admission";
import type { Outcome, Standing } from "./outcome";
import type { RawRecord } from "./raw";

/** What the heads in messages told so far, and the hashes they are compared with. */
export interface Confirmations {
  hashAt(seq: number): Uint8Array | undefined;
  /** The seq of the last message of each sender that opened. */
  readonly lastOpened: Map<ParticipantId, number>;
  /** Up to where each sender's messages confirm this history. */
  readonly confirmed: Map<ParticipantId, number>;
}

export async function readMessage(
  known: Confirmations,
  record: RawRecord,
  sender: ParticipantId,
  id: MessageId,
  { keys, roster }: Reader,
): Promise<Outcome> {
  const held = keys.get(record.epoch);
  if (held === undefined) return { type: "no_key" };
  try {
    const message = await openMessage(held, roster.author(sender, record.epoch), sender, id, record.body);
    return { type: "message", message, standing: standingOf(known, record.seq, sender, message.head) };
  } catch (thrown) {
    return { type: "unreadable", code: codeOf(thrown) };
  }
}

function standingOf(known: Confirmations, seq: number, sender: ParticipantId, head: Head): Standing {
  const before = known.lastOpened.get(sender) ?? 0;
  known.lastOpened.set(sender, seq);
  if (head.seq >= seq) return { type: "differs", code: "head_ahead" };
  if (head.seq < before) return { type: "differs", code: "head_regressed" };
  const hash = known.hashAt(head.seq);
  if (hash === undefined) return { type: "unchecked" };
  if (!equal(hash, head.hash)) return { type: "differs", code: "fork" };
  known.confirmed.set(sender, head.seq);
  return { type: "confirmed", upTo: head.seq };
}

export function readNotice(body: Uint8Array): Outcome {
  const event = eventOf(body);
  return event === null ? { type: "bad_notice" } : { type: "notice", ...event };
}

/** The profile in a `joined` is learned; one that does not open leaves the event as it is. */
export async function readMember(
  record: RawRecord,
  about: ParticipantId,
  { keys, roster }: Reader,
): Promise<Outcome> {
  const event = eventOf(record.body);
  if (event === null || event.members["participant_id"] !== about) return { type: "bad_member" };
  if (event.event !== "joined") return { type: "member", about, ...event, learned: null };
  let sealed: Uint8Array;
  try {
    sealed = fromBase64Url(stringOf(event.members, "sealed_profile"));
  } catch {
    return { type: "bad_member" };
  }
  const learned = await roster.learn(keys, about, record.epoch, sealed);
  return { type: "member", about, ...event, learned };
}

/** A plaintext object with a string `event`; null for anything else. */
function eventOf(body: Uint8Array): { readonly event: string; readonly members: JsonObject } | null {
  try {
    const members = parseObject(body);
    return { event: stringOf(members, "event"), members };
  } catch (thrown) {
    if (thrown instanceof SealError) return null;
    throw thrown;
  }
}
