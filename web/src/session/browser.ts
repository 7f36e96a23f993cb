// The real outside: this browser's network, clock, sessionStorage and Web Locks. Nothing is decided here.
import type { Locks, Outside, Store } from "./outside";

const store: Store = {
  get: (key) => sessionStorage.getItem(key),
  set: (key, value) => {
    try {
      sessionStorage.setItem(key, value);
      return true;
    } catch {
      return false;
    }
  },
  remove: (key) => {
    sessionStorage.removeItem(key);
  },
};

const locks: Locks = {
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
  store,
  locks,
};
