// One look at a seat: what it holds, as the plain values that the page draws. Pure, but for the texts it asks to be opened.
import type { State } from "../api/types";
import { advice, headText, type ParticipantId } from "../seal";
import { counted, isAgreed, type Claimed } from "./auto";
import { timeOf } from "./entry";
import type { Exported } from "./export";
import type { Held } from "./held";
import { isBroken, isHeld, type Alarm } from "./integrity";
import type { Author, Integrity, Item, MessageItem, Mode, Muted, Proposal, View } from "./model";
import type { Pending } from "./outbox";
import type { SealedTexts } from "./sealed-texts";
import { shown, shownKind, shownLine } from "./shown";
import { quoted } from "./timeline";
import { endedView } from "./trouble";

export interface Looking {
  readonly held: Held;
  readonly texts: SealedTexts;
  readonly pending: readonly Pending[];
  /** By this machine's clock. */
  readonly now: number;
  /** How far the plane's clock is ahead. */
  readonly ahead: number;
  /** All that the plane names was read. */
  readonly isCaughtUp: boolean;
}

/** What a seat shows; the rest of the view is where the visitor stands. */
export type Seated = Pick<
  View,
  | "title"
  | "me"
  | "canWrite"
  | "muted"
  | "people"
  | "items"
  | "mode"
  | "proposal"
  | "door"
  | "integrity"
  | "epoch"
  | "expiresAt"
  | "ended"
>;

export const NOTHING: Seated = {
  canWrite: false,
  people: [],
  items: [],
  mode: { name: "observe", accepted: [], youAccepted: false },
  door: { state: "open", knocking: 0 },
  integrity: { state: "whole", sentence: "Nothing was read yet.", checkedFrom: 1 },
  epoch: 0,
};

export function seated(looking: Looking): Seated {
  const { held, texts, ahead } = looking;
  const { state } = held;
  const [title, proposal, muted] = [texts.title(), proposalOf(looking), mutedOf(held)];
  return {
    ...(title === undefined ? {} : { title }),
    me: held.people.author(held.me.id),
    canWrite: muted === undefined,
    ...(muted === undefined ? {} : { muted }),
    people: held.people.list((id) => held.timeline.isHere(id), held.transcript.confirmed, ahead),
    items: itemsOf(looking),
    mode: modeOf(looking),
    ...(proposal === undefined ? {} : { proposal }),
    door: state === null ? NOTHING.door : { state: state.door.state, knocking: state.door.knocking },
    integrity: integrityOf(held),
    epoch: held.epoch,
    ...(state === null ? {} : { expiresAt: timeOf(state.expires_at) }),
    ...(state?.ended === undefined ? {} : { ended: endedView(state.ended) }),
  };
}

function mutedOf(held: Held): Muted | undefined {
  const { state, seat } = held;
  if (state?.ended !== undefined) return "ended";
  if (isHeld(seat.alarm)) return isBroken(seat.alarm) ? "broken" : "warning";
  if (held.mayWrite) return undefined;
  return held.isMoving ? "moving" : "view_link";
}

function itemsOf({ held, pending }: Looking): readonly Item[] {
  const items = held.timeline.items();
  if (pending.length === 0) return items;
  const me = held.people.author(held.me.id);
  return [...items, ...pending.map((one) => pendingItem(one, held, me))];
}

function pendingItem(pending: Pending, held: Held, author: Author): MessageItem {
  const { seq, at, content, refusal, isConfirmed, delay } = pending;
  const text = shown(content.text);
  return {
    kind: "message",
    seq,
    at,
    author,
    text: text.text,
    hidden: text.hidden,
    messageKind: shownKind(content.kind),
    ...(content.topic === undefined ? {} : { topic: shownLine(content.topic) }),
    ...(content.replyTo === undefined ? {} : { replyTo: content.replyTo }),
    to: content.to.map((id) => held.people.author(id)),
    mentionsYou: false,
    paths: content.paths.map(shownLine),
    pinned: content.pinned,
    ...(refusal === undefined ? { pending: "sending" } : { pending: "failed", refusal }),
    ...(refusal !== undefined && isConfirmed ? { isConfirmed } : {}),
    ...(delay === undefined ? {} : { delay }),
  };
}

/** What the plane says, in this machine's time. While somebody saw another history, the mode counts as observe. */
function claimedOf(state: State, ahead: number, alarm: Alarm | null): Claimed {
  const { mode } = state;
  if (isHeld(alarm)) return { name: "observe" };
  return {
    name: mode.name,
    ...(mode.proposal_id === undefined ? {} : { proposal: mode.proposal_id }),
    ...(mode.budget_left === undefined ? {} : { budgetLeft: mode.budget_left }),
    ...(mode.expires_at === undefined ? {} : { endsAt: timeOf(mode.expires_at) - ahead }),
  };
}

/** Others may be in auto although it counts as observe here. While a person here has to decide, what the plane or the transcript
 * tells is still heard, and does not count; where a check failed for good nothing is heard any more, and nothing excluded. */
function elsewhereOf({ held, now, isCaughtUp }: Looking): Pick<Mode, "autoElsewhere" | "autoUnheard"> {
  const { state, seat, auto } = held;
  const isSaid = state?.mode.name === "auto";
  // While records are still read it may turn out to be on here.
  if (!isHeld(seat.alarm)) return isSaid && isCaughtUp ? { autoElsewhere: true } : {};
  const isOpen = auto.run != null && counted({ name: "auto" }, auto.run, now).name === "auto";
  if (isSaid || isOpen) return { autoElsewhere: true };
  return isBroken(seat.alarm) || state === null ? { autoElsewhere: true, autoUnheard: true } : {};
}

function modeOf(looking: Looking): Mode {
  const { held, texts, now, ahead } = looking;
  const { state, seat, people } = held;
  const elsewhere = elsewhereOf(looking);
  if (state === null) return { ...NOTHING.mode, ...elsewhere };
  const claimed = claimedOf(state, ahead, seat.alarm);
  const mode = counted(claimed, held.auto.run, now);
  if (mode.name !== "auto") return { ...mode, ...elsewhere, accepted: [], youAccepted: false };
  const goal = texts.goal(state.mode.goal, state.mode.proposal_id, undefined);
  const consent = seat.consents.find(({ proposal }) => proposal === claimed.proposal);
  return {
    ...mode,
    ...(claimed.proposal === undefined ? {} : { proposal: claimed.proposal }),
    ...(goal === undefined ? {} : { goal }),
    accepted: [...new Set(state.mode.accepted)].map((id) => people.author(id)),
    youAccepted: isAgreed(consent, claimed, held.auto.run),
  };
}

function proposalOf({ held, texts, now, ahead }: Looking): Proposal | undefined {
  const proposal = held.state?.mode.proposal;
  if (proposal === undefined) return undefined;
  const lapsesAt = timeOf(proposal.lapses_at) - ahead;
  if (now >= lapsesAt) return undefined;
  const goal = texts.goal(proposal.goal, proposal.proposal_id, proposal.by);
  return {
    id: proposal.proposal_id,
    by: held.people.author(proposal.by),
    yours: proposal.by === held.me.id,
    ...(goal === undefined ? {} : { goal }),
    budget: proposal.budget,
    ttlMs: proposal.ttl_s * 1_000,
    lapsesAt,
  };
}

export function integrityOf(held: Held): Integrity {
  const { transcript, seat, me, people } = held;
  const { alarm } = seat;
  const [furthest] = [...transcript.confirmed].filter(([id]) => id !== me.id).sort(([, a], [, b]) => b - a);
  return {
    ...judged(held, alarm),
    ...(held.withheld === 0 ? {} : { withheld: held.withheld }),
    checkedFrom: transcript.base + 1,
    ...(furthest === undefined ? {} : confirmedBy(furthest, people)),
    ...(transcript.head.seq === 0 ? {} : { head: headText(transcript.head) }),
  };
}

function confirmedBy([id, seq]: readonly [ParticipantId, number], people: Held["people"]) {
  return { confirmedUpTo: seq, confirmedBy: people.author(id) };
}

function judged(
  held: Held,
  alarm: Alarm | null,
): Pick<Integrity, "state" | "sentence" | "detail" | "seq" | "acknowledged"> {
  if (alarm === null) return { state: "whole", sentence: CHECKED + withheldOf(held.withheld) };
  const { code: detail, seq } = alarm;
  if (isBroken(alarm)) return { state: "broken", sentence: advice[detail], detail, seq };
  const author = held.timeline.authorAt(seq);
  const by = author === undefined ? "" : ` by ${quoted(held.people.author(author))}`;
  const next = alarm.acknowledged ? "" : " Until you go on all the same, nothing is posted from here.";
  const sentence = `Message ${String(seq)}${by}: ${advice[detail]}${next}`;
  return { state: "warning", sentence, detail, seq, acknowledged: alarm.acknowledged };
}

const CHECKED = "Every record shown was checked here.";

/** The chain holds, so it is no failure of it; but what is missing is not passed over. */
function withheldOf(count: number): string {
  if (count === 0) return "";
  const what = count === 1 ? "1 message" : `${String(count)} messages`;
  return ` But ${what} did not pass, and can't be shown: the transcript says where.`;
}

/** All of it, as a document says it. */
export function exportedOf(looking: Looking, origin: string): Exported {
  const { held, now } = looking;
  const { transcript, people, me, seat } = held;
  const { items, people: participants, title } = seated(looking);
  const [, ...hash] = headText(transcript.head).split(" ");
  return {
    session: seat.session,
    title: title ?? "untitled",
    origin,
    at: now,
    by: people.author(me.id),
    headSeq: transcript.head.seq,
    headHash: hash.join(" "),
    integrity: integrityOf(held),
    participants,
    items: items.filter(({ seq }) => seq > 0),
  };
}
