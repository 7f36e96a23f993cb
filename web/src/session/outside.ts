// What a session needs of the world around it, so that tests can give theirs: the network, time, chance, the store of this tab
// and the locks between tabs. browser.ts has the real ones.
import type { Clock } from "../api/clock";

export interface Outside {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  /** From 0 to 1, for jitter; keys and ids come from seal's own source. */
  readonly random: () => number;
  /** Lets the browser draw and answer the person before work goes on. */
  readonly breathe: () => Promise<void>;
  /** Calls back when the network is back, or the person looks at the page again. Gives what ends that. */
  readonly returned: (then: () => void) => () => void;
  /** Calls back when the browser says that the network is gone. Gives what ends that. */
  readonly lost: (then: () => void) => () => void;
  readonly store: Store;
  readonly locks: Locks;
}

/** Of this tab alone, gone with it. */
export interface Store {
  /** A reload finds what was kept. */
  readonly isLasting: boolean;
  get(key: string): string | null;
  /** False when there is no room. */
  set(key: string, value: string): boolean;
  remove(key: string): void;
}

export interface Locks {
  /** Holds a name until it is let go or the page is gone; null while another tab holds it. */
  take(name: string): Promise<(() => void) | null>;
}
