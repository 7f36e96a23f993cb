// A part of the page that is loaded on demand and does not come: a sentence stands in its place, and the keyboard goes on.
import { render, screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { expect, test, vi } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import { later } from "../../src/page/later";
import type { View } from "../../src/session/model";
import { Double, message, NOW } from "./support/double";

let session: Double;

async function open(more: Partial<View> = {}) {
  session = new Double({ items: [message(3, "x")], ...more });
  render(App, { session, clock: new Clock(() => NOW) });
  await tick();
}

const press = (name: string) => userEvent.click(screen.getAllByRole("button", { name })[0] as HTMLElement);

test.each([
  ["search", "Search", "The search"],
  ["help", "Keys", "The list of keys"],
  ["hand", "Invite…", "The invitation"],
  ["propose", "Propose auto…", "The form"],
] as const)("%s is asked for again the next time", async (part, button, what) => {
  const load = vi.spyOn(later, part).mockRejectedValueOnce(new TypeError("no such chunk"));
  await open();
  await press(button);
  expect(await screen.findByRole("alert")).toHaveTextContent(`${what} can't be shown`);
  expect(screen.getByRole("button", { name: "Close" })).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("alert")).toBeNull();
  await waitFor(() => expect(document.body).not.toHaveFocus());
  await press(button);
  await waitFor(() => expect(load).toHaveBeenCalledTimes(2));
  expect(screen.queryByRole("alert")).toBeNull();
});

test("an export says that nothing was saved", async () => {
  await open();
  session.export = () => Promise.reject(new TypeError("no such chunk"));
  await press("Export JSON");
  expect(await screen.findByRole("alert")).toHaveTextContent("Nothing was saved");
});

test("a closed page has its reason", async () => {
  vi.spyOn(later, "closed").mockRejectedValueOnce(new TypeError("no such chunk"));
  await open({ phase: { kind: "closed", why: "removed", detail: "rekey_removed" } });
  expect(await screen.findByRole("alert")).toHaveTextContent("A part of this page did not load");
  expect(screen.getByText("rekey_removed")).toBeVisible();
});

test("the focus waits for a page that is still on its way", async () => {
  let come: (() => void) | undefined;
  const closed = await later.closed();
  vi.spyOn(later, "closed").mockReturnValueOnce(new Promise((resolve) => (come = () => resolve(closed))));
  await open();
  await press("Search");
  session.show({ phase: { kind: "closed", why: "left" } });
  await waitFor(() => expect(screen.queryByRole("feed")).toBeNull());
  await new Promise((observed) => setTimeout(observed));
  come?.();
  await waitFor(() => expect(document.getElementById("main")).toHaveFocus());
});

test("what a re-key needs is there before one comes, and so before the server is gone", async () => {
  const idle = vi.fn<(then: () => void) => void>();
  vi.stubGlobal("requestIdleCallback", idle);
  const load = vi.spyOn(later, "rekey");
  await open();
  expect(load).not.toHaveBeenCalled();
  idle.mock.calls[0]?.[0]();
  expect(load).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});
