// One participant at work: the rooms of a seat put together, for as long as the page is open and the seat is this tab's.
// Entered once; what a person asks for goes through it.
import type { PlaneFailure } from "../api/failure";
import { Client } from "../api/client";
import { hurry } from "../api/clock";
import { Plane } from "../api/plane";
import type { State } from "../api/types";
import { drawId, sealGoal, SealError, sealTitle, toBase64Url, type Identity } from "../seal";
import { Entering } from "./entering";
import { Held } from "./held";
import { Intake } from "./intake";
import { Live } from "./live";
import type { Connection } from "./model";
import { Outbox } from "./outbox";
import type { Outside } from "./outside";
import type { Seat } from "./seat";
import { SealedTexts } from "./sealed-texts";
import type { Looking } from "./view";

/** What the page hears of it. */
export interface Watching {
  readonly changed: () => void;
  readonly connection: (connection: Connection, retryAt?: number, failure?: PlaneFailure | null) => void;
  readonly loading: (loading: { done: number; total: number } | null) => void;
  readonly knocking: () => void;
  readonly waiting: (failure: PlaneFailure, until: number) => void;
  /** The seat is over, or a check failed. */
  readonly failed: (thrown: unknown) => void;
}

/** What a person was shown, and says yes to. */
export interface Terms {
  readonly id: string;
  readonly budget: number;
  readonly ttlMs: number;
}

export class Sitting {
  readonly held: Held;
  readonly outbox: Outbox;
  readonly #texts: SealedTexts;
  readonly #client: Client;
  readonly #outside: Outside;
  #isCaughtUp = false;
  readonly #plane: Plane;
  readonly #entering: Entering;
  readonly #live: Live;
  readonly #watching: Watching;
  readonly #ending = new AbortController();
  #titleTriedAt = 0;

  constructor(seat: Seat, me: Identity, origin: string, outside: Outside, watching: Watching) {
    const { signal } = this.#ending;
    const { changed } = watching;
    this.#watching = watching;
    this.#outside = outside;
    this.#client = new Client({ ...outside, origin });
    const plane = new Plane(this.#client, seat.session);
    const held = new Held(seat, me);
    const common = { held, plane, outside, signal, changed };
    this.#plane = plane;
    this.held = held;
    this.#texts = new SealedTexts(held, changed);
    this.#entering = new Entering({ ...common, ...watching });
    const withToken = <T>(call: (token: string) => Promise<T>) => this.withToken(call);
    const accepted = () => {
      this.#caughtUp();
    };
    const intake = new Intake({ ...common, withToken, own: (id) => this.outbox.accepted(id) });
    this.#live = new Live({ ...common, ...watching, intake, entering: this.#entering, caughtUp: accepted });
    const overdue = () => {
      this.#live.readAgain();
    };
    this.outbox = new Outbox({ ...common, withToken, overdue, failed: watching.failed });
  }

  /** Takes up what was kept; throws SealError where it does not belong together. */
  resume(): Promise<void> {
    return this.held.resume();
  }

  /** Gets in: the first time, again after an answer that was lost, or with a link that a person gave. */
  async enter(withLink: boolean): Promise<void> {
    if (withLink) await this.#entering.returnWith();
    else if (this.held.seat.entry !== "in") await this.#entering.join();
  }

  /** Until the seat is over. */
  async run(): Promise<void> {
    await this.#live.run();
    // What can't be sent any more is given back, also where it waits for its next try.
    this.outbox.go();
    hurry(this.#outside.clock);
  }

  withToken<T>(call: (token: string) => Promise<T>): Promise<T> {
    return this.#live.withToken(call);
  }

  /** The network is said to be gone. */
  doubt(): void {
    this.#live.doubt();
  }

  /** Notes a failed check. */
  fail(error: SealError): void {
    this.#live.fail(error);
  }

  async setMode(name: "observe" | "relay"): Promise<void> {
    this.#hear(await this.withToken((token) => this.#plane.setMode(token, name)));
  }

  /** What this person says yes to is kept before a byte is sent. */
  async propose(goal: string, budget: number, ttlS: number): Promise<void> {
    const { held } = this;
    const id = drawId<"proposal">();
    await this.#consenting({ proposal: id, budget, ttlS, sinceSeq: held.transcript.head.seq }, async () => {
      this.#hear(
        await this.withToken((token) => {
          // Under the epoch in force at each try: a re-key may come in between.
          const keys = held.keys.newest();
          if (keys === undefined) throw new SealError("epoch_order");
          const sealed = sealGoal(keys, held.me, id, goal);
          return this.#plane.propose(token, {
            proposal_id: id,
            budget,
            ttl_s: ttlS,
            epoch: keys.epoch,
            sealed_goal: toBase64Url(sealed),
          });
        }),
      );
    });
  }

  async accept({ id, budget, ttlMs }: Terms, sinceSeq = this.held.transcript.head.seq): Promise<void> {
    await this.#consenting({ proposal: id, budget, ttlS: ttlMs / 1_000, sinceSeq }, async () => {
      this.#hear(await this.withToken((token) => this.#plane.accept(token, id)));
    });
  }

  /** Agrees to an auto that goes on: to the run that the transcript tells of, and to no earlier one. */
  async acceptAsWell(terms: Terms): Promise<void> {
    const { run } = this.held.auto;
    if (run != null) await this.accept(terms, run.startedSeq - 1);
  }

  async decline(proposal: string): Promise<void> {
    this.#hear(await this.withToken((token) => this.#plane.decline(token, proposal)));
  }

  async stop(): Promise<void> {
    this.#hear(await this.withToken((token) => this.#plane.stop(token)));
  }

  async leave(): Promise<void> {
    await this.#entering.leave();
  }

  /** What a view is made of. */
  looking(): Looking {
    return {
      held: this.held,
      texts: this.#texts,
      pending: this.outbox.pending,
      now: this.#outside.clock.now(),
      ahead: this.#client.clockAhead,
      isCaughtUp: this.#isCaughtUp,
    };
  }

  close(): void {
    this.#ending.abort();
    this.#live.close();
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Takes the consent back where the plane did not take what it stands for. */
  async #consenting(consent: Seat["consents"][number], send: () => Promise<void>): Promise<void> {
    const { seat } = this.held;
    const others = seat.consents.filter(({ proposal }) => proposal !== consent.proposal);
    seat.consents = [...others, consent];
    seat.save();
    try {
      await send();
    } catch (thrown) {
      seat.consents = seat.consents.filter((one) => one !== consent);
      seat.save();
      throw thrown;
    }
  }

  #hear(state: State): void {
    this.held.hear(state);
    this.#watching.changed();
  }

  #caughtUp(): void {
    this.#isCaughtUp = true;
    this.outbox.go();
    this.#watching.changed();
    void this.#keepTitle();
  }

  /** After an administrator's re-key the first one back who can seals the title anew; that it was another is no failure. */
  async #keepTitle(): Promise<void> {
    const { held } = this;
    const keys = held.keys.newest();
    const text = held.seat.title;
    const isDue =
      held.title !== null &&
      keys !== undefined &&
      held.title.epoch < keys.epoch &&
      held.transcript.epochRecord?.type === "admin_rekey" &&
      this.#titleTriedAt < keys.epoch;
    if (!isDue || text === null || !held.mayWrite) return;
    this.#titleTriedAt = keys.epoch;
    const title = {
      participant_id: held.me.id,
      epoch: keys.epoch,
      sealed: toBase64Url(sealTitle(keys, held.me, text)),
    };
    try {
      this.#hear(await this.withToken((token) => this.#plane.setTitle(token, { title })));
      held.title = title;
    } catch {
      // The title stays as it is for others; everything else goes on.
    }
  }
}
