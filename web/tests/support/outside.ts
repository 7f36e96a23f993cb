// An outside for tests in Node: the real clock and network, a store in memory, and locks that tabs of one test share.
import { browser } from "../../src/session/browser";
import type { Locks, Outside, Store } from "../../src/session/outside";

export function memoryStore(content = new Map<string, string>()): Store {
  return {
    isLasting: true,
    get: (key) => content.get(key) ?? null,
    set: (key, value) => {
      content.set(key, value);
      return true;
    },
    remove: (key) => {
      content.delete(key);
    },
  };
}

export function sharedLocks(): Locks {
  const held = new Set<string>();
  return {
    take: (name) => {
      if (held.has(name)) return Promise.resolve(null);
      held.add(name);
      return Promise.resolve(() => {
        held.delete(name);
      });
    },
  };
}

export function realOutside(store: Store = memoryStore(), locks: Locks = sharedLocks()): Outside {
  return {
    fetch: (url, init) => fetch(url, init),
    clock: browser.clock,
    random: () => 0.5,
    breathe: () => new Promise((go) => setImmediate(go)),
    returned: () => () => undefined,
    lost: () => () => undefined,
    store,
    locks,
  };
}
