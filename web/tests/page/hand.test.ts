// Handing the link on: what is said of it is true where it leads.
import { render, screen } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import HandOn from "../../src/page/hand/HandOn.svelte";
import { isLoopback } from "../../src/session/note";
import { Double } from "./support/double";

const ALONE = /its links open there alone/;

test("a link of this machine's own server is not called one for any browser", () => {
  expect(isLoopback(location.origin)).toBe(true);
  render(HandOn, { session: new Double(), capability: "full", close: vi.fn() });
  expect(screen.getByText(ALONE)).toBeVisible();
  expect(screen.getByText(/any browser of this machine/)).toBeVisible();
});

test("any other is", () => {
  vi.stubGlobal("location", { origin: "https://plane.example" });
  render(HandOn, { session: new Double(), capability: "full", close: vi.fn() });
  vi.unstubAllGlobals();
  expect(screen.queryByText(ALONE)).toBeNull();
  expect(screen.getByText("The link opens in any browser, as it did for you.")).toBeVisible();
});
