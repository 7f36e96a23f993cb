// The real outside: this browser's network, clock, sessionStorage and Web Locks, or what stands in for these two.
import type { Locks, Outside, Store } from "./outside";

/** What the browser keeps for this tab. A browser may refuse to, at any touch of it: all is then in memory, and gone with the
 * page. So it is where nothing could keep a duplicated tab from being the same participant: what is not kept is not copied. */
export function storeOf(read: () => Storage, hasLocks: boolean): Store {
  try {
    const kept = read();
    // One that was never allowed to hold anything refuses here; one that is full holds something.
    if (kept.length === 0) kept.setItem(PROBE, "");
    kept.removeItem(PROBE);
    if (hasLocks) return lasting(kept);
  } catch {
    // As one without locks.
  }
  const held = new Map<string, string>();
  return {
    isLasting: false,
    get: (key) => held.get(key) ?? null,
    set: (key, value) => {
      held.set(key, value);
      return true;
    },
    remove: (key) => {
      held.delete(key);
    },
  };
}

const PROBE = "devpilot-session";

function lasting(kept: Storage): Store {
  return {
    isLasting: true,
    get: (key) => kept.getItem(key),
    set: (key, value) => {
      try {
        kept.setItem(key, value);
        return true;
      } catch {
        return false;
      }
    },
    remove: (key) => {
      kept.removeItem(key);
    },
  };
}

const webLocks: Locks = {
  take: (name) =>
    new Promise((taken, failed) => {
      const hold = (lock: Lock | null) => {
        if (lock === null) {
          taken(null);
          return undefined;
        }
        return new Promise<void>((letGo) => {
          taken(letGo);
        });
      };
      navigator.locks.request(name, { ifAvailable: true }, hold).catch(failed);
    }),
};

/** Of a tab that no other is a copy of. */
const noLocks: Locks = { take: () => Promise.resolve(() => undefined) };

const store = storeOf(
  () => sessionStorage,
  // Not in every browser, whatever the types say, and in none over plain http.
  (globalThis.navigator as Partial<Navigator> | undefined)?.locks !== undefined,
);

export const browser: Outside = {
  fetch: (url, init) => fetch(url, init),
  clock: {
    now: () => Date.now(),
    after: (milliseconds, then) => {
      const timer = setTimeout(then, milliseconds);
      return () => {
        clearTimeout(timer);
      };
    },
  },
  random: () => Math.random(),
  // A message to oneself comes after what the browser has to do, and without the delay that timers get.
  breathe: () =>
    new Promise((go) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        go();
      };
      port2.postMessage(null);
    }),
  returned: (then) => {
    const looked = () => {
      if (document.visibilityState === "visible") then();
    };
    addEventListener("online", then);
    document.addEventListener("visibilitychange", looked);
    return () => {
      removeEventListener("online", then);
      document.removeEventListener("visibilitychange", looked);
    };
  },
  lost: (then) => {
    addEventListener("offline", then);
    return () => {
      removeEventListener("offline", then);
    };
  },
  store,
  locks: store.isLasting ? webLocks : noLocks,
};
