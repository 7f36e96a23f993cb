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
  /** The browser says that the network is gone. */
  readonly goOffline: () => void;
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
  const [back, gone] = [calls(), calls()];
  const real = realOutside(tab.store ?? memoryStore(content), locks);
  const outside = { ...real, fetch: plane.fetch, clock, returned: back.add, lost: gone.add };
  const session = openSession(tab.address ?? plane.link(), outside);
  return { session, clock, content, locks, comeBack: back.all, goOffline: gone.all };
}

/** Who is to be called back. */
function calls() {
  const listeners = new Set<() => void>();
  return {
    add: (then: () => void) => {
      listeners.add(then);
      return () => listeners.delete(then);
    },
    all: () => {
      for (const listener of listeners) listener();
    },
  };
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
