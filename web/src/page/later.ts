// The parts of the page that nobody needs at first, each in a chunk of its own. A chunk that did not come is asked for again
// the next time; all are fetched once the page has nothing else to do, so that they are there when the server is not.

import { loadHpke } from "../session/part";

/** Loads once; a load that failed is forgotten. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((cause: unknown) => {
      loading = undefined;
      throw cause;
    }));
}

export const later = {
  addressing: once(() => import("./composer/naming")),
  closed: once(async () => (await import("./closed/Closed.svelte")).default),
  doing: once(async () => (await import("./seat/Doing.svelte")).default),
  hand: once(async () => (await import("./hand/HandOn.svelte")).default),
  help: once(async () => (await import("./seat/Help.svelte")).default),
  knocking: once(async () => (await import("./door/Knocking.svelte")).default),
  rekey: loadHpke,
  propose: once(async () => (await import("./mode/Propose.svelte")).default),
  search: once(async () => (await import("./search/Search.svelte")).default),
};

/** Fetches all of them in the browser's idle time; where it tells of none, each comes when it is asked for. */
export function fetchLater(): void {
  if (!("requestIdleCallback" in globalThis)) return;
  requestIdleCallback(() => {
    for (const load of Object.values(later)) load().catch(() => undefined);
  });
}
