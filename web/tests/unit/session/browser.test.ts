// What a browser keeps for a tab, or refuses to.
import { expect, test, vi } from "vitest";
import { storeOf } from "../../../src/session/browser";
import { FakePlane } from "../../support/fake-plane";
import { memoryStore } from "../../support/outside";
import { seatedVisit } from "../../support/visitor";

const refuse = (name: string) => () => {
  throw new DOMException("The operation is insecure.", name);
};

/** As a browser's own: a map, and what it does is as a test wants it. */
function storage(more: Partial<Storage> = {}, content = new Map<string, string>()): Storage {
  return {
    get length() {
      return content.size;
    },
    clear: () => content.clear(),
    key: () => null,
    getItem: (key) => content.get(key) ?? null,
    setItem: (key, value) => void content.set(key, value),
    removeItem: (key) => void content.delete(key),
    ...more,
  };
}

test.each([
  ["refuses to be read", refuse("SecurityError"), true],
  ["is none", () => null as unknown as Storage, true],
  ["holds nothing, ever", () => storage({ setItem: refuse("QuotaExceededError") }), true],
  ["could be copied with the tab, and no lock tells", () => storage(), false],
])("a store that %s is one for as long as the page lives", (_, read, hasLocks) => {
  const store = storeOf(read, hasLocks);
  expect(store.isLasting).toBe(false);
  expect([store.get("a"), store.set("a", "b"), store.get("a")]).toEqual([null, true, "b"]);
  store.remove("a");
  expect(store.get("a")).toBeNull();
});

test("a store that is full keeps what it has", () => {
  const content = new Map([["a", "b"]]);
  const store = storeOf(() => storage({ setItem: refuse("QuotaExceededError") }, content), true);
  expect([store.isLasting, store.get("a"), store.set("c", "d")]).toEqual([true, "b", false]);
});

test("nothing of the probe is left", () => {
  const content = new Map<string, string>();
  expect(storeOf(() => storage({}, content), true).isLasting).toBe(true);
  expect(content.size).toBe(0);
});

test("without Web Locks, one who comes in is in: there is no copy of the tab to be kept out", async () => {
  vi.resetModules();
  vi.stubGlobal("navigator", {});
  const { browser } = await import("../../../src/session/browser");
  vi.unstubAllGlobals();
  expect(browser.store.isLasting).toBe(false);
  expect(await browser.locks.take("a")).toBeTypeOf("function");
  const plane = await FakePlane.start();
  const { session } = await seatedVisit(plane, { store: browser.store, locks: browser.locks });
  expect(session.view).toMatchObject({
    connection: "live",
    fleeting: expect.stringContaining("Keep the link"),
  });
  expect(await session.post({ text: "mine" })).toBe(true);
});

test("a seat that is kept is not called fleeting", async () => {
  const { session } = await seatedVisit(await FakePlane.start(), { store: memoryStore() });
  expect(session.view.fleeting).toBeUndefined();
});
