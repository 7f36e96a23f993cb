// Who came, went and stayed over, as the accepted records tell it in order. Member events are the plane's word; whom an
// owner's re-key lists is the owner's. A history that begins at a checkpoint knows only of those it has seen. Pure.
import type { ParticipantId } from "../seal";
import type { Entry, What } from "./entry";

/** What a join is to those who were here before it. */
export type Arrival =
  | "new"
  /** Had left, or was out. */
  | "back"
  /** Kept by the owner's re-key, and never left. */
  | "goes_on"
  /** Was here when an administrator re-keyed, and came by the new link. */
  | "moved_over";

/** What a record says of comings and goings. */
export type Coming =
  | { readonly type: "arrival"; readonly arrival: Arrival }
  | { readonly type: "put_out"; readonly who: readonly ParticipantId[] }
  | null;

export class Comings {
  readonly #ever = new Set<ParticipantId>();
  #here = new Set<ParticipantId>();
  /** Kept by the newest re-key, and not heard of since. */
  #kept = new Set<ParticipantId>();
  /** Here when an administrator re-keyed, and not back yet. */
  #stranded = new Set<ParticipantId>();
  /** Put out by a re-key, or not back since one, or gone. */
  readonly #out = new Set<ParticipantId>();

  /** Takes the next record. */
  add({ what }: Entry): Coming {
    if (what.type === "member") return this.#member(what);
    if (what.type === "epoch") return this.#epoch(what);
    return null;
  }

  /** Here, as far as these records tell; null for one they don't tell of. */
  isHere(who: ParticipantId): boolean | null {
    if (this.#here.has(who)) return true;
    return this.#out.has(who) ? false : null;
  }

  #member({ about, event }: Extract<What, { type: "member" }>): Coming {
    if (event?.event === "left") {
      for (const group of [this.#here, this.#kept, this.#stranded]) group.delete(about);
      this.#out.add(about);
    }
    if (event?.event !== "joined") return null;
    const kept = this.#kept.delete(about);
    const stranded = this.#stranded.delete(about);
    const known = this.#ever.has(about);
    this.#ever.add(about);
    this.#here.add(about);
    this.#out.delete(about);
    const arrival = kept ? "goes_on" : stranded ? "moved_over" : known ? "back" : "new";
    return { type: "arrival", arrival };
  }

  #epoch({ change, era }: Extract<What, { type: "epoch" }>): Coming {
    if (change.epochType === "creation") return null;
    const stays = new Set(change.epochType === "owner_rekey" ? era.stays : []);
    const gone = [...this.#here].filter((who) => !stays.has(who));
    for (const who of gone) this.#out.add(who);
    this.#here = new Set([...this.#here].filter((who) => stays.has(who)));
    this.#kept = new Set(this.#here);
    if (change.epochType === "admin_rekey") {
      for (const who of gone) this.#stranded.add(who);
      return null;
    }
    return { type: "put_out", who: gone };
  }
}
