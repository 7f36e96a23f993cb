// A clock that a test moves. Waits too short for a person to notice go by themselves.
import type { Clock } from "../../src/api/clock";

const UNNOTICED_MS = 100;

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

/** What is under way comes to rest. */
export async function rest(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((go) => setImmediate(go));
}
