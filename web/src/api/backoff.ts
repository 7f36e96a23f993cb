// When to try again: a pure decision, the randomness handed in.

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** What the plane may ask for. A timer of a browser that is set far beyond goes off at once. */
const LONGEST_ASKED_S = 3_600;

/** How long to wait before try `attempt` + 1 (from 1). It doubles, with jitter over the upper half, so that pages cut off
 * together don't come back together; what the plane asks for is kept, up to an hour. `random` is from 0 to 1. */
export function pauseMs(attempt: number, askedS: number | undefined, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 30));
  const own = ceiling * (0.5 + 0.5 * random);
  return Math.round(askedS === undefined ? own : Math.max(askedMs(askedS), own));
}

/** A pause that the plane asks for. */
export function askedMs(seconds: number): number {
  return Math.min(seconds, LONGEST_ASKED_S) * 1_000;
}
