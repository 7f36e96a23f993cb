// Keeping up: everything there is by pages, then the stream, and back to the pages where it breaks; through re-keys, and to
// the end of the session. Decides what each failure means for going on.
import { feed, type FeedEvent } from "../api/events";
import { pauseMs } from "../api/backoff";
import { sleep } from "../api/clock";
import { PlaneFailure } from "../api/failure";
import type { Plane } from "../api/plane";
import type { Page } from "../api/types";
import { SealError } from "../seal";
import type { Entering } from "./entering";
import type { Held } from "./held";
import type { Intake } from "./intake";
import { isBroken } from "./integrity";
import type { Connection } from "./model";
import type { Outside } from "./outside";
import { Stopped } from "./stopped";
import { closedBy } from "./trouble";

export interface LiveNeeds {
  readonly held: Held;
  readonly plane: Plane;
  readonly intake: Intake;
  readonly entering: Entering;
  readonly outside: Pick<Outside, "clock" | "random">;
  readonly signal: AbortSignal;
  readonly connection: (connection: Connection, retryAt?: number, failure?: PlaneFailure | null) => void;
  readonly loading: (loading: { done: number; total: number } | null) => void;
  /** All that the plane names was read. */
  readonly caughtUp: () => void;
  readonly changed: () => void;
}

/** How often a call comes back for a fresh token before it gives up. */
const COMEBACKS = 3;
/** Fresh tokens that count for nothing, one after another: from so many on the next is asked for after a pause, which grows. */
const FRUITLESS_MAX = 2;
/** A stream that lasted so long was one; what came before it is no sign that the next one will be. */
const STEADY_MS = 10_000;
/** Comings change who is here; they often come several at once. */
const PEOPLE_AFTER_MS = 1_000;

export class Live {
  readonly #needs: LiveNeeds;
  #peopleDue: (() => void) | null = null;
  /** The head after which the stream left a record out: the pages have it, or it is held against the plane. */
  #gapAfter: number | null = null;
  #fruitless = 0;
  #comeBackFrom = 0;
  #endStream: () => void = () => undefined;
  /** A stream is open, as far as is known. */
  #isOpen = false;

  constructor(needs: LiveNeeds) {
    this.#needs = needs;
  }

  /** Goes on until the page is closed, or the session is over. Throws Stopped; a failed check is noted, and ends it as well. */
  async run(): Promise<void> {
    const { held, outside, signal, connection } = this.#needs;
    // Rounds without a stream that lasted. Pages that answer are no sign that the stream will.
    let failures = 0;
    while (!signal.aborted) {
      try {
        connection("connecting");
        if (held.title === null) await this.#look();
        // The owner's keys before anything else, so that a later re-key can be told from a forged one.
        await this.withToken((token) => this.#needs.intake.learnEverybody(1, token));
        await this.#readAll();
        if (this.#gapAfter === held.transcript.head.seq) throw new SealError("seq_gap");
        this.#gapAfter = null;
        if (isBroken(held.seat.alarm) || held.state?.ended !== undefined) break;
        const startedAt = outside.clock.now();
        try {
          await this.#stream();
        } finally {
          if (outside.clock.now() - startedAt >= STEADY_MS) failures = 0;
        }
        failures++;
        // After a re-key the next stream comes at once; a plane that ends each one is not asked without a pause.
        if (failures > 1) await this.#pause(pauseMs(failures, undefined, outside.random()));
      } catch (thrown) {
        if (thrown instanceof SealError) {
          this.fail(thrown);
          break;
        }
        if (!(thrown instanceof PlaneFailure)) throw thrown;
        const why = thrown.isTokenOver ? null : closedBy(thrown, false);
        if (why !== null) throw new Stopped(why, thrown.code ?? undefined);
        failures++;
        const pause = pauseMs(failures, thrown.extras.retry_after_s, outside.random());
        await this.#pause(pause, thrown);
      }
    }
    if (!signal.aborted) connection("stopped");
  }

  async #pause(milliseconds: number, failure: PlaneFailure | null = null): Promise<void> {
    const { outside, signal, connection } = this.#needs;
    connection("waiting", outside.clock.now() + milliseconds, failure);
    await sleep(outside.clock, milliseconds, signal);
  }

  /** Notes that the plane misbehaves: nothing further is accepted, nothing posted. */
  fail({ code }: SealError): void {
    const { held, changed } = this.#needs;
    held.alarm(code, held.transcript.head.seq + 1);
    changed();
  }

  /** Makes a call with the seat's token, and comes back first where that is over. */
  async withToken<T>(call: (token: string) => Promise<T>): Promise<T> {
    const { held, entering, outside } = this.#needs;
    for (let comebacks = 0; ; comebacks++) {
      const token = held.seat.token;
      try {
        if (token !== null) {
          const answer = await call(token);
          this.#fruitless = 0;
          return answer;
        }
      } catch (thrown) {
        // Nothing answers one call: then the stream, which nobody asks anything, may be as dead and not show it for long.
        if (thrown instanceof PlaneFailure && thrown.status === 0) this.doubt();
        if (!(thrown instanceof PlaneFailure) || !thrown.isTokenOver || comebacks >= COMEBACKS) throw thrown;
        if (outside.clock.now() < this.#comeBackFrom) throw thrown;
      }
      // Another call may have come back meanwhile.
      if (held.seat.token !== token) continue;
      if (++this.#fruitless >= FRUITLESS_MAX)
        this.#comeBackFrom = outside.clock.now() + pauseMs(this.#fruitless, undefined, outside.random());
      await entering.comeBack();
    }
  }

  async #look(): Promise<void> {
    const { held, plane, signal } = this.#needs;
    const { state, title } = await this.withToken((token) => plane.look(token, signal));
    held.transcript.checkPlaneHead(state.head_seq);
    held.title = title;
    held.hear(state);
  }

  async #readAll(): Promise<void> {
    const { held, plane, intake, signal, loading, caughtUp } = this.#needs;
    let hasReadOnceMore = false;
    const { owed } = held.transcript;
    for (;;) {
      const after = held.transcript.head.seq;
      if (after >= held.readUpTo) break;
      const page: Page = await this.withToken((token) => plane.records(token, after, signal));
      const isWhole = await this.#takePage(page, intake);
      const head = held.transcript.head.seq;
      held.keep();
      loading(page.more ? { done: head, total: page.state.head_seq } : null);
      const isStuck = !isWhole || (page.more && head === after);
      if (isStuck && hasReadOnceMore) throw new SealError("seq_gap");
      hasReadOnceMore = isStuck;
      if (!isStuck && !page.more) break;
    }
    loading(null);
    if (!isBroken(held.seat.alarm)) held.transcript.checkOwed(owed);
    caughtUp();
  }

  #takePage(page: Page, intake: Intake): Promise<boolean> {
    const { held, loading } = this.#needs;
    loading({ done: held.transcript.head.seq, total: page.state.head_seq });
    return intake.page(page);
  }

  /** Until the token or the session is over, or a record is missing: then pages tell. */
  async #stream(): Promise<void> {
    const { held, plane, entering, signal } = this.#needs;
    const token = held.seat.token;
    if (token === null) return;
    const after = () => held.transcript.head.seq;
    const ending = new AbortController();
    this.#endStream = () => {
      ending.abort();
    };
    try {
      const either = AbortSignal.any([signal, ending.signal]);
      for await (const event of feed({ plane, token, after, signal: either })) {
        await this.#hear(event);
        if (event.event === "bye" && event.data.code === "rekeyed") await entering.comeBack();
      }
    } catch (thrown) {
      if (thrown instanceof SealError && thrown.code === "seq_gap") {
        this.#gapAfter = held.transcript.head.seq;
        return;
      }
      if (!(thrown instanceof PlaneFailure) || !thrown.isTokenOver) throw thrown;
      if (held.seat.token === token) await entering.comeBack();
    } finally {
      this.#isOpen = false;
      held.keep();
    }
  }

  async #hear(event: FeedEvent): Promise<void> {
    const { held, intake, connection, caughtUp, changed } = this.#needs;
    switch (event.event) {
      case "open":
        this.#isOpen = true;
        connection("live");
        return;
      case "waiting":
        this.#isOpen = false;
        connection("waiting", event.until, event.failure);
        return;
      case "checkpoint":
        intake.skipTo(event.data);
        return;
      case "record":
        await intake.record(event.data);
        held.keep();
        if (event.data.class !== "message" && event.data.class !== "notice") this.#askForPeople();
        caughtUp();
        return;
      case "state":
        held.transcript.checkPlaneHead(event.data.head_seq);
        held.hear(event.data);
        break;
      case "presence":
        held.people.hear(event.data);
        break;
      case "bye":
    }
    changed();
  }

  #askForPeople(): void {
    const { outside, intake, signal, changed } = this.#needs;
    this.#peopleDue ??= outside.clock.after(PEOPLE_AFTER_MS, () => {
      this.#peopleDue = null;
      if (signal.aborted) return;
      // Who is here is told again with the next coming, so a failure is none.
      this.withToken((token) => intake.learnEverybody(null, token)).then(changed, () => undefined);
    });
  }

  /** Back to the pages, where a stream is open: they have what it left out, or it is held against the plane. */
  readAgain(): void {
    this.#endStream();
  }

  /** There is reason to think that the stream is dead: the pages tell. One that is waited for is known to be. */
  doubt(): void {
    if (this.#isOpen) this.#endStream();
  }

  /** Ends what would still come. */
  close(): void {
    this.#peopleDue?.();
  }
}
