// One tab a seat: a duplicated tab copies what was kept, and must not be the same participant (crypto.md section 15).
import { sleep } from "../api/clock";
import type { Outside } from "./outside";

/** A reload takes the lock from the page before it, which may not be gone yet. */
const TRIES = 10;
const PAUSE_MS = 150;

/** Holds the seat of a participant for this tab; null where another one has it. Gives what lets it go. */
export async function takeSeat(
  participant: string,
  { locks, clock }: Pick<Outside, "locks" | "clock">,
): Promise<(() => void) | null> {
  for (let attempt = 1; ; attempt++) {
    const letGo = await locks.take(`devpilot-session ${participant}`);
    if (letGo !== null || attempt === TRIES) return letGo;
    await sleep(clock, PAUSE_MS);
  }
}
