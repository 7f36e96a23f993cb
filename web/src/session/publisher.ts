// Tells the page that something changed: soon, but not for each record, and at most every 100 ms while a lot is read.
import type { Clock } from "../api/clock";
import type { View } from "./model";

const BUSY_MS = 100;
const CALM_MS = 16;
/** A timer of a browser that is set far beyond goes off at once. */
const LOOK_AGAIN_MS = 3_600_000;

export class Publisher {
  readonly #clock: Clock;
  readonly #look: () => View;
  readonly #listeners = new Set<(view: View) => void>();
  #view: View;
  #lastAt = 0;
  #due: (() => void) | null = null;
  #tick: (() => void) | null = null;

  constructor(clock: Clock, look: () => View) {
    this.#clock = clock;
    this.#look = look;
    this.#view = look();
  }

  get view(): View {
    return this.#view;
  }

  subscribe(listener: (view: View) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#view);
    return () => this.#listeners.delete(listener);
  }

  /** The page is told before long. */
  changed(): void {
    if (this.#due !== null) return;
    const pause = this.#view.loading === undefined ? CALM_MS : BUSY_MS;
    const wait = Math.max(0, this.#lastAt + pause - this.#clock.now());
    this.#due = this.#clock.after(wait, () => {
      this.now();
    });
  }

  /** The page is told at once. */
  now(): void {
    this.#due?.();
    this.#due = null;
    this.#lastAt = this.#clock.now();
    this.#view = this.#look();
    this.#wakeLater();
    for (const listener of [...this.#listeners]) listener(this.#view);
  }

  /** Auto ends and proposals lapse without anybody saying so. */
  #wakeLater(): void {
    this.#tick?.();
    this.#tick = null;
    const { mode, proposal } = this.#view;
    const next = Math.min(mode.endsAt ?? Infinity, proposal?.lapsesAt ?? Infinity);
    if (next === Infinity) return;
    const wait = Math.min(LOOK_AGAIN_MS, Math.max(CALM_MS, next - this.#clock.now() + 1));
    this.#tick = this.#clock.after(wait, () => {
      this.changed();
    });
  }

  close(): void {
    this.#due?.();
    this.#tick?.();
    this.#listeners.clear();
  }
}
