// What an accepted record is to a reader, before anybody's name is put to it. Pure: from what the verifier says. The plane's
// events are taken by their fixed vocabulary alone (modes.md); anything else is one this version does not know.
import { timeIn } from "../api/clock";
import type { WireRecord } from "../api/types";
import {
  fromBase64Url,
  parseEpochRecord,
  type EpochChange,
  type JsonObject,
  type MessageId,
  type Outcome,
  type ParticipantId,
  type SealErrorCode,
  type Standing,
} from "../seal";
import { readContent, type Content } from "./content";
import type { AgentOrHuman } from "./model";

export interface Entry {
  readonly seq: number;
  /** By the plane's word; not covered by the transcript hash. */
  readonly at: number;
  readonly epoch: number;
  readonly what: What;
}

export type What =
  | {
      readonly type: "message";
      readonly id: MessageId;
      readonly author: ParticipantId;
      readonly content: Content;
      readonly standing: Standing;
      /** The plane was told another signal than the message carries. */
      readonly signalDiffers: boolean;
    }
  /** A message of an epoch whose key is not held. */
  | { readonly type: "closed"; readonly author: ParticipantId }
  | { readonly type: "unreadable"; readonly author: ParticipantId; readonly code: SealErrorCode }
  | { readonly type: "notice"; readonly notice: Notice | null }
  | { readonly type: "member"; readonly about: ParticipantId; readonly event: MemberEvent | null }
  | { readonly type: "epoch"; readonly change: EpochChange; readonly era: Era }
  /** A member event that can't be understood. */
  | { readonly type: "bad_member" };

/** What an epoch record says beside who owns the session. */
export interface Era {
  /** Those who stay, by an owner's re-key. */
  readonly stays: readonly ParticipantId[];
  /** Its link opens the epoch before. */
  readonly opensBefore: boolean;
}

export type MemberEvent =
  | { readonly event: "joined"; readonly kind?: AgentOrHuman }
  | { readonly event: "left" }
  | { readonly event: "refused" };

export type ModeName = "observe" | "relay" | "auto";

const CAUSES = [
  "requested",
  "accepted",
  "budget_spent",
  "ttl_expired",
  "all_done",
  "blocked",
  "stopped",
  "left",
  "rekeyed",
  "ended",
] as const;

export type Cause = (typeof CAUSES)[number];

export type Notice =
  | {
      readonly event: "mode_changed";
      readonly from: ModeName;
      readonly to: ModeName;
      readonly cause: Cause;
      readonly spent?: number;
      readonly budget?: number;
      readonly ttlS?: number;
    }
  | { readonly event: "auto_proposed"; readonly budget: number; readonly ttlS: number }
  | { readonly event: "auto_declined" };

/** `outcome` is that of the record. */
export function entryOf(
  record: WireRecord,
  outcome: Outcome,
  author: ParticipantId | null,
  id: MessageId | null,
): Entry {
  return {
    seq: record.seq,
    at: timeOf(record.at),
    epoch: record.epoch,
    what: whatOf(record, outcome, author, id),
  };
}

/** Milliseconds since the epoch; 0 for what is no time that a page can show: it has passed, and raises nothing. */
export function timeOf(text: string): number {
  return timeIn(text) ?? 0;
}

function whatOf(
  record: WireRecord,
  outcome: Outcome,
  author: ParticipantId | null,
  id: MessageId | null,
): What {
  switch (outcome.type) {
    case "notice":
      return { type: "notice", notice: readNotice(outcome.event, outcome.members) };
    case "bad_notice":
      return { type: "notice", notice: null };
    case "member":
      return { type: "member", about: outcome.about, event: readMemberEvent(outcome.event, outcome.members) };
    case "bad_member":
      return { type: "bad_member" };
    case "epoch":
      return { type: "epoch", change: outcome.change, era: eraOf(record) };
    default:
  }
  // The verifier lets no message in without an author and an id.
  if (author === null || id === null) return { type: "bad_member" };
  if (outcome.type === "no_key") return { type: "closed", author };
  if (outcome.type === "unreadable") return { type: "unreadable", author, code: outcome.code };
  const content = readContent(outcome.message.content);
  const signalDiffers = (content.signal ?? null) !== (record.signal ?? null);
  return { type: "message", id, author, content, standing: outcome.standing, signalDiffers };
}

function eraOf({ epoch_record: text }: WireRecord): Era {
  // The verifier has parsed the same bytes.
  const record = parseEpochRecord(fromBase64Url(text ?? ""));
  return {
    stays: record.entries.map(({ participant }) => participant),
    opensBefore: record.history !== null,
  };
}

function readMemberEvent(event: string, members: JsonObject): MemberEvent | null {
  if (event === "left" || event === "refused") return { event };
  if (event !== "joined") return null;
  const kind = members["kind"];
  return kind === "agent" || kind === "human" ? { event, kind } : { event };
}

/** Null unless it is one of the vocabulary, with its members and no others. */
export function readNotice(event: string, members: JsonObject): Notice | null {
  const has = (names: readonly string[]) =>
    Object.keys(members).every((name) => name === "event" || names.includes(name));
  const [spent, budget, ttlS] = [count(members["spent"]), count(members["budget"]), count(members["ttl_s"])];
  if (event === "auto_declined") return has([]) ? { event } : null;
  if (event === "auto_proposed") {
    return has(["budget", "ttl_s"]) && isCount(budget) && isCount(ttlS) ? { event, budget, ttlS } : null;
  }
  if (event !== "mode_changed" || !has(["from", "to", "cause", "spent", "budget", "ttl_s"])) return null;
  const [from, to] = [modeName(members["from"]), modeName(members["to"])];
  const cause = CAUSES.find((known) => known === members["cause"]);
  if (from === undefined || to === undefined || cause === undefined) return null;
  if (spent === "bad" || budget === "bad" || ttlS === "bad") return null;
  return {
    event,
    from,
    to,
    cause,
    ...(spent === undefined ? {} : { spent }),
    ...(budget === undefined ? {} : { budget }),
    ...(ttlS === undefined ? {} : { ttlS }),
  };
}

function modeName(value: unknown): ModeName | undefined {
  return value === "observe" || value === "relay" || value === "auto" ? value : undefined;
}

type Count = number | undefined | "bad";

function count(value: unknown): Count {
  if (value === undefined) return undefined;
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff
    ? value
    : "bad";
}

function isCount(value: Count): value is number {
  return typeof value === "number";
}
