// What a browser says of its network.
import { expect, test, vi } from "vitest";
import { browser } from "../../src/session/browser";

test("the network's coming and going is heard, until it is not wanted any more", () => {
  const [back, gone] = [vi.fn(), vi.fn()];
  const ends = [browser.returned(back), browser.lost(gone)];
  window.dispatchEvent(new Event("offline"));
  expect([back.mock.calls.length, gone.mock.calls.length]).toEqual([0, 1]);
  window.dispatchEvent(new Event("online"));
  expect([back.mock.calls.length, gone.mock.calls.length]).toEqual([1, 1]);
  for (const end of ends) end();
  window.dispatchEvent(new Event("offline"));
  window.dispatchEvent(new Event("online"));
  expect([back.mock.calls.length, gone.mock.calls.length]).toEqual([1, 1]);
});
