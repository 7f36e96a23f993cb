// Is what this tab kept what this version writes? Another version may have written it, or anything else that runs on this
// origin: what is not as it must be counts as not kept, as a whole. Pure.
import { count, list, Misshapen, object, text, word, yesOrNo, type Check } from "../api/check";
import {
  advice,
  fromBase64Url,
  isObject,
  messageId,
  parseEpochRecord,
  sessionId,
  Transcript,
  type JsonObject,
  type JsonValue,
  type SealErrorCode,
} from "../seal";
import type { Kept, SealedProfile } from "./seat";

const bytes: Check<string> = (value) => {
  const given = text(value);
  fromBase64Url(given);
  return given;
};

const json: Check<JsonObject> = (value) => {
  if (!isObject(value as JsonValue)) throw new Misshapen();
  return value as JsonObject;
};

const code: Check<SealErrorCode> = (value) => {
  if (!Object.hasOwn(advice, text(value))) throw new Misshapen();
  return value as SealErrorCode;
};

const one: Check<1> = (value) => {
  if (value !== 1) throw new Misshapen();
  return value;
};

const seqOrNot: Check<number | null> = (value) => (value === null ? null : count(value));

const kept = object(
  {
    version: one,
    session: text,
    secrets: list(object({ epoch: count, kind: word("full", "view"), secret: bytes }, {})),
    records: list(object({ epoch: count, bytes }, {})),
    profiles: list(object({ epoch: count, bytes }, {})),
    name: text,
    entry: word("door", "asked", "knocked", "in"),
    consents: list(object({ proposal: text, budget: count, ttlS: count, sinceSeq: count }, {})),
    drafts: list(
      object(
        { content: json, at: count },
        { refusal: text, sent: object({ id: text, epoch: count, sealed: bytes }, {}) },
      ),
    ),
  },
  {
    keys: object({ agreement: bytes, signing: bytes }, {}),
    token: text,
    transcript: object(
      {
        seq: count,
        hash: bytes,
        sent: list(object({ id: text, epoch: count, body: bytes, seq: seqOrNot }, {})),
      },
      {},
    ),
    alarm: object({ code, seq: count, acknowledged: yesOrNo }, {}),
    title: text,
    habits: object({ enterSends: yesOrNo, singleKeys: yesOrNo }, {}),
  },
);

/** Throws Misshapen or SealError for what this version can't go on from. */
export const checkKept: Check<Kept> = (value) => {
  const seat: Kept = kept(value);
  const session = sessionId(seat.session);
  // Nothing opens without a secret, and nobody came further than the door without keys of their own.
  const isWhole = seat.secrets.length > 0 && (seat.keys !== undefined || seat.entry === "door");
  if (!isWhole) throw new Misshapen();
  for (const record of seat.records) parseEpochRecord(fromBase64Url(record.bytes));
  for (const { sent } of seat.drafts) if (sent !== undefined) messageId(sent.id);
  new Transcript(session, seat.transcript ?? null);
  return seat;
};

/** Each is checked by what it is sealed with once it is used. */
export const checkProfiles: Check<readonly SealedProfile[]> = list(
  object({ participant: text, epoch: count, sealed: text }, {}),
);
