// When to try again: a pure decision, the randomness handed in.

const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/** How long to wait before try `attempt` + 1 (from 1). It doubles, with jitter over the upper half, so that pages cut off
 * together don't come back together; what the plane asks for is kept and never shortened. `random` is from 0 to 1. */
export function pauseMs(attempt: number, askedS: number | undefined, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 30));
  const own = ceiling * (0.5 + 0.5 * random);
  return Math.round(askedS === undefined ? own : Math.max(askedS * 1_000, own));
}
