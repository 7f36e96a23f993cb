// A clock that a test moves. Waits too short for a person to notice go by themselves.
import type { Clock } from "../../src/api/clock";

const UNNOTICED_MS = 100;
const NOTHING = new Uint8Array();

export class TestClock implements Clock {
  #now = Date.parse("2026-11-30T12:00:00Z");
  #timers = new Map<number, { readonly at: number; readonly then: () => void }>();
  #last = 0;

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, then: () => void): () => void {
    const key = ++this.#last;
    if (milliseconds <= UNNOTICED_MS) {
      const soon = setImmediate(then);
      return () => {
        clearImmediate(soon);
      };
    }
    this.#timers.set(key, { at: this.#now + milliseconds, then });
    return () => this.#timers.delete(key);
  }

  /** How long until each wait ends, the shortest first. */
  get waits(): readonly number[] {
    return [...this.#timers.values()].map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Lets time pass, and what is due happen. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const [key, { at, then }] of [...this.#timers]) {
      if (at > this.#now || !this.#timers.delete(key)) continue;
      then();
    }
  }
}

/** What is under way comes to rest. Signatures are checked on other threads, so each turn waits for one of their jobs too. */
export async function rest(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise((go) => setImmediate(go));
    await crypto.subtle.digest("SHA-256", NOTHING);
  }
}

/** Lets time pass, a second at a time, until something is settled. */
export async function passing<T>(clock: TestClock, settles: Promise<T>): Promise<T> {
  let isSettled = false;
  const done = settles.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    await rest();
    clock.advance(1_000);
  }
  return done;
}
