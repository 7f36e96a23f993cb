// This page's own counting of auto, beside the plane's (crypto.md section 12): the transcript says when it began and with what,
// and what was spent; this machine's clock, how long it lasts. What the plane says can only shorten it. Pure.
import type { Entry, Notice } from "./entry";

/** What this person said yes to, kept with the seat. */
export interface Consent {
  readonly proposal: string;
  readonly budget: number;
  readonly ttlS: number;
  /** The head when they said it. */
  readonly sinceSeq: number;
}

/** An auto that the transcript tells of. */
export interface Run {
  readonly startedSeq: number;
  readonly budget: number;
  readonly ttlS: number;
  /** By this machine's clock, when this page first took it in. */
  readonly seenAt: number;
  readonly spent: number;
}

/** Follows the accepted records. */
export class AutoCount {
  /** Null when it is not on; undefined while nothing tells, since its beginning may lie before what can be read. */
  #run: Run | null | undefined;

  /** `isFromFirst`: nothing lies before what is added, so that what is not in it did not begin. */
  constructor(isFromFirst: boolean) {
    this.#run = isFromFirst ? null : undefined;
  }

  /** `now` is this machine's time; for a record read late that is later than auto began, so the plane's word ends it sooner. */
  add(entry: Entry, now: number): void {
    if (entry.what.type === "notice" && entry.what.notice !== null)
      this.#notice(entry.seq, entry.what.notice, now);
    const isMessage = ["message", "closed", "unreadable"].includes(entry.what.type);
    if (isMessage && this.#run != null) this.#run = { ...this.#run, spent: this.#run.spent + 1 };
  }

  get run(): Run | null | undefined {
    return this.#run;
  }

  #notice(seq: number, notice: Notice, now: number): void {
    if (notice.event !== "mode_changed") {
      // Who can propose is not in auto.
      this.#run ??= null;
      return;
    }
    const { to, budget, ttlS } = notice;
    const begins = to === "auto" && budget !== undefined && ttlS !== undefined;
    this.#run = begins ? { startedSeq: seq, budget, ttlS, seenAt: now, spent: 0 } : null;
  }
}

/** What the plane says of the mode. */
export interface Claimed {
  readonly name: "observe" | "relay" | "auto";
  readonly proposal?: string;
  readonly budgetLeft?: number;
  /** By this machine's clock. */
  readonly endsAt?: number;
}

/** The mode as it counts here. */
export interface Counted {
  readonly name: "observe" | "relay" | "auto";
  readonly budget?: number;
  readonly budgetLeft?: number;
  readonly endsAt?: number;
  readonly ttlMs?: number;
}

/** The stricter of what the plane says and what was counted: it may lower the mode, never raise it. A beginning that was not
 * read yet counts from when it is: a plane that withholds it, or names records that never come, gains nothing. */
export function counted(claimed: Claimed, run: Run | null | undefined, now: number): Counted {
  if (claimed.name !== "auto") return { name: claimed.name };
  const { budgetLeft, endsAt } = claimed;
  // Its beginning is before what can be read: the plane's word is all there is.
  if (run === undefined) {
    if (budgetLeft === 0 || now >= (endsAt ?? Infinity)) return { name: "observe" };
    return { name: "auto", ...defined({ budgetLeft, endsAt }) };
  }
  if (run === null) return { name: "observe" };
  const left = Math.min(run.budget - run.spent, budgetLeft ?? Infinity);
  const ownEnd = run.seenAt + run.ttlS * 1_000;
  const end = Math.min(ownEnd, endsAt ?? Infinity);
  if (left <= 0 || now >= end) return { name: "observe" };
  return { name: "auto", budget: run.budget, budgetLeft: left, endsAt: end, ttlMs: run.ttlS * 1_000 };
}

/** Whether a person here agreed to this very run: the same proposal, terms and no earlier run. */
export function isAgreed(
  consent: Consent | undefined,
  claimed: Claimed,
  run: Run | null | undefined,
): boolean {
  return (
    consent !== undefined &&
    run != null &&
    consent.proposal === claimed.proposal &&
    consent.budget === run.budget &&
    consent.ttlS === run.ttlS &&
    run.startedSeq > consent.sinceSeq
  );
}

function defined(members: { budgetLeft: number | undefined; endsAt: number | undefined }) {
  return {
    ...(members.budgetLeft === undefined ? {} : { budgetLeft: members.budgetLeft }),
    ...(members.endsAt === undefined ? {} : { endsAt: members.endsAt }),
  };
}
