// Refusals as one sentence for the person at the page, with what to do next; and which of them close the door for good.
// Nothing that the plane or a participant wrote is in them. Pure.
import { timeIn } from "../api/clock";
import { PlaneFailure } from "../api/failure";
import type { Code, SessionEnd } from "../api/types";
import { advice, type SealErrorCode } from "../seal";
import type { ClosedWhy, View } from "./model";

export const FLEETING =
  "Your browser keeps nothing for this page: a reload loses your seat and what you have not sent. Keep the link you came with.";

/** Of what a person asked for, which is not asked for again by itself. */
export function refusalOf(failure: PlaneFailure): string {
  return sentenceOf(failure).replace(AGAIN, "Try again.");
}

const AGAIN = "Nothing was lost; it is tried again.";

/** A sentence, from a refusal of the plane or what else was thrown, where it is tried again by itself as far as it can be. */
export function sentenceOf(failure: PlaneFailure): string {
  switch (failure.kind) {
    case "unreachable":
      return `The server can't be reached. ${AGAIN}`;
    case "timed_out":
      return `The server did not answer in time. ${AGAIN}`;
    case "foreign":
      return `Something else than the server answered in its place (status ${String(failure.status)}). ${AGAIN}`;
    case "misshapen":
      return "The server sent an answer this page does not understand. Reload the page; tell its operator if it stays so.";
    case "problem":
      return problem(failure);
  }
}

/** Why a message waits, where its next try goes by itself. */
export function delayOf(failure: PlaneFailure): string {
  return failure.code === "rate_limited"
    ? "The server takes no messages from here for now."
    : sentenceOf(failure);
}

const SENTENCES: Partial<Readonly<Record<Code, string>>> = {
  unauthorized: "The server does not know this seat any more. Reload the page.",
  rekeyed: "The session was re-keyed.",
  bad_proof: "The server knows no session that this link opens. Ask the sender for a new link.",
  forbidden: "The server does not allow this here. Ask the owner of the session.",
  view_only: "This is a link for reading along. To write, ask for a full link.",
  door_closed: "The door of the session is closed: nobody new comes in. Ask its owner.",
  quota_exceeded: "The session has no room for more people. Ask its owner.",
  not_found: "The server has nothing under that name.",
  mode_observe: "The session is in observe.",
  auto_over: "Auto is over, so this was not posted.",
  in_auto: "Auto is on, and nothing was changed. Stop it first.",
  proposal_gone: "That proposal is gone: replaced, declined, used or lapsed. Nothing was changed.",
  too_large: "This is larger than a session carries. Make it shorter, or split it.",
  store_unavailable: `The server can't reach its database. ${AGAIN}`,
  draining: `The server is being restarted. ${AGAIN}`,
  message_id_reused:
    "The server holds another message in the place of this one. Copy the text and send it anew.",
};

function problem({ code, extras, status, isPassing }: PlaneFailure): string {
  if (code === "session_ended")
    return `The session ${overWord(extras.cause ?? "ended")}: nothing more is posted in it.`;
  if (code === "rate_limited") {
    const seconds = extras.retry_after_s;
    return `That was too often. Nothing was lost; try again ${seconds === undefined ? "later" : `in ${String(seconds)} s`}.`;
  }
  if (code === "bad_request" && (extras.limit === "max_budget" || extras.limit === "max_ttl_s")) {
    return "The server allows a smaller budget or a shorter time for auto. Nothing was changed; propose less.";
  }
  const sentence = code === null ? undefined : SENTENCES[code];
  if (sentence !== undefined) return sentence;
  return isPassing
    ? `The server failed (status ${String(status)}). ${AGAIN}`
    : "The server refused this. Nothing was changed.";
}

function overWord(cause: SessionEnd["cause"]): string {
  return { ended: "was ended", expired: "expired", purged: "was deleted" }[cause];
}

/** A refusal to come in, as the page it leads to; null where it may go well later. */
export function closedBy(failure: PlaneFailure, hasKnocked: boolean): ClosedWhy | null {
  switch (failure.code) {
    case "bad_proof":
    case "not_found":
    case "unauthorized":
      return "gone";
    case "rekeyed":
      return "rekeyed";
    case "session_ended":
      return failure.extras.cause === "expired" ? "expired" : "ended";
    case "door_closed":
      return hasKnocked ? "refused" : "door_closed";
    case "forbidden":
      return "forbidden";
    case "quota_exceeded":
      return "full";
    default:
      return failure.kind === "problem" && !failure.isPassing ? "gone" : null;
  }
}

/** What a link that is none leads to. */
export function closedByLink(code: SealErrorCode): ClosedWhy {
  switch (code) {
    case "link_truncated":
      return "truncated";
    case "link_version":
      return "version";
    case "link_insecure":
      return "insecure";
    case "link_missing":
    case "link_no_key":
      return "no_link";
    default:
      return "damaged";
  }
}

export function adviceOn(code: SealErrorCode): string {
  return advice[code];
}

export function endedView({ at, cause }: SessionEnd): NonNullable<View["ended"]> {
  return { why: cause, at: timeIn(at) ?? 0 };
}
