// A visitor of the fake plane, with a clock that a test moves.
import { openSession } from "../../src/session/session";
import type { Session, View } from "../../src/session/model";
import type { Locks, Store } from "../../src/session/outside";
import { TestClock } from "./clock";
import { ORIGIN, type FakePlane } from "./fake-plane";
import { memoryStore, realOutside, sharedLocks } from "./outside";
import { until } from "./seen";

export interface Visit {
  readonly session: Session;
  readonly clock: TestClock;
  readonly content: Map<string, string>;
  readonly locks: Locks;
  /** The network is back, or the person looks at the page again. */
  readonly comeBack: () => void;
}

export interface Tab {
  readonly address?: string;
  readonly content?: Map<string, string>;
  readonly locks?: Locks;
  readonly store?: Store;
}

export function visit(plane: FakePlane, tab: Tab = {}): Visit {
  const clock = new TestClock();
  const content = tab.content ?? new Map<string, string>();
  const locks = tab.locks ?? sharedLocks();
  const listeners = new Set<() => void>();
  const returned = (then: () => void) => {
    listeners.add(then);
    return () => listeners.delete(then);
  };
  const real = realOutside(tab.store ?? memoryStore(content), locks);
  const outside = { ...real, fetch: plane.fetch, clock, returned };
  const comeBack = () => {
    for (const listener of listeners) listener();
  };
  return { session: openSession(tab.address ?? plane.link(), outside), clock, content, locks, comeBack };
}

/** In, and with all there is. */
export async function seatedVisit(plane: FakePlane, tab: Tab = {}): Promise<Visit> {
  const visited = visit(plane, tab);
  void visited.session.join("Ann");
  await until(visited.session, "the seat", (view) => view.connection === "live");
  return visited;
}

/** The address without its fragment, as after a reload. */
export function reloadAddress(plane: FakePlane): string {
  return `${ORIGIN}/s/${plane.session}`;
}

export function isBroken(view: View): boolean {
  return view.integrity.state === "broken" && view.connection === "stopped";
}
