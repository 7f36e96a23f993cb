// Time as a value, so that nothing here waits in a test.

export interface Clock {
  /** Milliseconds since the epoch, by this machine. */
  now(): number;
  /** Calls back once, later. Gives what calls it off. */
  after(milliseconds: number, then: () => void): () => void;
}

/** The end of the year 9999: beyond it a calendar's spelling changes, and sums leave what a date can hold. */
const LAST = 253_402_300_799_999;

/** Milliseconds since the epoch; null for what is no time from 1970 on, or lies beyond the year 9999. */
export function timeIn(text: string): number | null {
  const at = Date.parse(text);
  return at >= 0 && at <= LAST ? at : null;
}

/** Who waits now, by the clock they wait by. */
const waiting = new WeakMap<Clock, Set<() => void>>();

/** Ends all waits for a next try: a person asks for it, or there is reason to think that it goes well now. */
export function hurry(clock: Clock): void {
  for (const wake of [...(waiting.get(clock) ?? [])]) wake();
}

/** A wait before a next try. A signal or `hurry` ends it early: it then ends all the same, and whoever waited asks the
 * signal. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted === true) {
      done();
      return;
    }
    const others = waiting.get(clock) ?? new Set();
    waiting.set(clock, others);
    const wake = () => {
      others.delete(wake);
      signal?.removeEventListener("abort", wake);
      callOff();
      done();
    };
    const callOff = clock.after(milliseconds, wake);
    signal?.addEventListener("abort", wake);
    others.add(wake);
  });
}
