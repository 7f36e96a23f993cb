// The plane's events in this page's own words: a fixed vocabulary, counts and names, and nothing the plane wrote. Pure.
import type { ParticipantId } from "../seal";
import type { Coming } from "./comings";
import type { Cause, Entry, ModeName, Notice, What } from "./entry";

export interface Told {
  readonly text: string;
  readonly tone: "plain" | "warning";
}

/** How somebody is called in a sentence: the name in quotation marks, with what tells it apart. */
export type Naming = (who: ParticipantId) => string;

/** Those put out who are named in one event. */
const NAMED_MAX = 8;

/** Null for what is no event. */
export function tell({ what }: Entry, coming: Coming, name: Naming): Told | null {
  switch (what.type) {
    case "notice":
      return what.notice === null ? unknown("notice") : { text: tellNotice(what.notice), tone: "plain" };
    case "member":
      return tellMember(what, coming, name);
    case "bad_member":
      return unknown("event");
    case "epoch":
      return tellEpoch(what, coming, name);
    default:
      return null;
  }
}

function unknown(what: string): Told {
  const text = `The server sent ${what === "notice" ? "a notice" : "an event"} this version does not know. Its text is withheld.`;
  return { text, tone: "warning" };
}

function tellMember({ about, event }: Extract<What, { type: "member" }>, coming: Coming, name: Naming): Told {
  const who = name(about);
  if (event === null) return unknown("event");
  if (event.event === "left") return { text: `${who} left.`, tone: "plain" };
  if (event.event === "refused") return { text: `${who} was refused at the door.`, tone: "plain" };
  const arrival = coming?.type === "arrival" ? coming.arrival : "new";
  const did = {
    new: "joined",
    back: "came back",
    goes_on: "goes on after the re-key",
    moved_over: "moved over to the new link",
  }[arrival];
  return { text: `${who} (${event.kind ?? "somebody"}) ${did}.`, tone: "plain" };
}

function tellEpoch({ change, era }: Extract<What, { type: "epoch" }>, coming: Coming, name: Naming): Told {
  const epoch = String(change.epoch);
  if (change.epochType === "creation") return { text: "The session was created.", tone: "plain" };
  if (change.epochType === "admin_rekey") {
    const text =
      `An administrator re-keyed: epoch ${epoch}, earlier links are dead. Everybody goes on by the new link alone, which ` +
      "opens nothing of what came before. The session has no owner any more.";
    return { text, tone: "warning" };
  }
  const before = era.opensBefore ? "" : " The new link opens nothing of what came before.";
  const out = coming?.type === "put_out" ? putOut(coming.who, name) : "";
  return {
    text: `The owner re-keyed: epoch ${epoch}, earlier links are dead.${before}${out}`,
    tone: "plain",
  };
}

function putOut(who: readonly ParticipantId[], name: Naming): string {
  if (who.length === 0) return "";
  const named = who.slice(0, NAMED_MAX).map(name).join(", ");
  const more = who.length - NAMED_MAX;
  return more > 0 ? ` Out: ${named} and ${String(more)} more.` : ` Out: ${named}.`;
}

const CAUSE_TEXTS: Readonly<Record<Exclude<Cause, "requested">, string>> = {
  accepted: "the proposal was accepted",
  budget_spent: "the budget is spent",
  ttl_expired: "the time is up",
  all_done: "every agent in it said done",
  blocked: "somebody said blocked",
  stopped: "somebody stopped it",
  left: "too few of those who accepted remain",
  rekeyed: "the session was re-keyed",
  ended: "the session ended",
};

function causeText(cause: Cause, to: ModeName): string {
  return cause === "requested" ? `a participant set ${to}` : CAUSE_TEXTS[cause];
}

/** A notice names nobody. */
function tellNotice(notice: Notice): string {
  switch (notice.event) {
    case "auto_declined":
      return "The proposal to go to auto was declined.";
    case "auto_proposed":
      return `Somebody proposed auto: ${bounds(notice.budget, notice.ttlS)}. A human decides.`;
    case "mode_changed": {
      const { from, to, cause, spent, budget, ttlS } = notice;
      const change = `The mode went from ${from} to ${to}: ${causeText(cause, to)}`;
      if (to === "auto" && budget !== undefined && ttlS !== undefined)
        return `${change} (${bounds(budget, ttlS)}).`;
      if (spent === undefined || budget === undefined) return `${change}.`;
      return `${change} (${String(spent)} of ${messages(budget)} spent).`;
    }
  }
}

function bounds(budget: number, ttlS: number): string {
  return `at most ${messages(budget)} within ${duration(ttlS)}`;
}

export function messages(count: number): string {
  return count === 1 ? "1 message" : `${String(count)} messages`;
}

function duration(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  if (rest === 0) return `${String(minutes)} min`;
  return minutes === 0 ? `${String(rest)} s` : `${String(minutes)} min ${String(rest)} s`;
}
