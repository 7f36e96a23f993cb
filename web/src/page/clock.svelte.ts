// The time as a value, so that what counts down is drawn anew and tests choose what time it is.
import { createContext } from "svelte";

/** The clock of the page, for what lies deep in it and counts down. */
export const [clockOfPage, setClockOfPage] = createContext<Clock>();

export class Clock {
  #now: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly read: () => number = Date.now) {
    this.#now = $state(read());
  }

  get now(): number {
    return this.#now;
  }

  /** Reads the time again. */
  tick(): void {
    this.#now = this.read();
  }

  /** Ticks each second until the returned function is called. */
  run(): () => void {
    this.#timer = setInterval(() => this.tick(), 1_000);
    return () => clearInterval(this.#timer);
  }
}
