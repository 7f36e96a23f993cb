// A text that can't be sent any more stays in sight and can be copied; and what the browser itself keeps holds none of it.
import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { expect, test, vi } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import type { View } from "../../src/session/model";
import { Double, ME, message, NOW } from "./support/double";

let session: Double;

async function open(more: Partial<View> = {}, kept: Double["kept"] = null) {
  session = new Double(more);
  session.kept = kept;
  render(App, { session, clock: new Clock(() => NOW) });
  await new Promise((drawn) => setTimeout(drawn));
}
const field = () => screen.getByRole("textbox", { name: "Message" });
const unsent = () => screen.queryByRole("textbox", { name: /What you were writing was not sent/ });

test.each([
  ["ended", { canWrite: false, muted: "ended", ended: { why: "ended", at: NOW } }],
  ["broken", { canWrite: false, muted: "broken" }],
  ["warned", { canWrite: false, muted: "warning" }],
  ["closed", { phase: { kind: "closed", why: "removed" } }],
] as const)("what is being written when the session is %s can be copied", async (_, more) => {
  await open();
  const user = userEvent.setup();
  const written = vi.spyOn(navigator.clipboard, "writeText");
  await user.type(field(), "An hour of work");
  session.show(more);
  await vi.waitFor(() => expect(unsent()).toHaveValue("An hour of work"));
  await user.click(screen.getByRole("button", { name: "Copy it" }));
  expect(written).toHaveBeenCalledWith("An hour of work");
});

test("one that the server confirmed is not said to be not sent", async () => {
  const refusal = "The server confirmed this message and does not show it.";
  const failed = { author: ME, pending: "failed", refusal } as const;
  await open({ items: [message(-1, "x", { ...failed, isConfirmed: true }), message(-2, "y", failed)] });
  expect(screen.getByText(refusal)).toBeVisible();
  expect(screen.getByText(`Not sent. ${refusal}`)).toBeVisible();
});

test("after the warning is set aside, writing goes on where it was", async () => {
  await open();
  await userEvent.type(field(), "half a sen");
  session.show({ canWrite: false, muted: "warning" });
  await tick();
  const { muted: _, ...free } = session.view;
  session.show({ ...free, canWrite: true });
  await tick();
  expect(field()).toHaveValue("half a sen");
  expect(unsent()).toBeNull();
});

test.each([
  ["an ended session", { canWrite: false, muted: "ended" }],
  ["a closed page", { phase: { kind: "closed", why: "ended" } }],
] as const)("after a reload into %s it is there as well, until it is thrown away", async (_, more) => {
  await open(more, { text: "From before" });
  expect(unsent()).toHaveValue("From before");
  await userEvent.click(screen.getByRole("button", { name: "Throw it away" }));
  expect(unsent()).toBeNull();
  expect(session.kept).toBeNull();
});

test("a refused message is not taken off where there is no field to change it in, and can be copied", async () => {
  const refused = message(-1, "Mine", { author: ME, pending: "failed", refusal: "No." });
  await open({ items: [refused], canWrite: false, muted: "ended" });
  for (const name of ["Change it", "Send again", "Discard"])
    expect(screen.queryByRole("button", { name })).toBeNull();
  const user = userEvent.setup();
  const written = vi.spyOn(navigator.clipboard, "writeText");
  await user.click(screen.getAllByRole("button", { name: "Copy" })[0] as HTMLElement);
  expect(written).toHaveBeenCalledWith("Mine");
});

test("a field that goes away while its text changes is no fault", async () => {
  const faults: unknown[] = [];
  const heard = (event: ErrorEvent) => faults.push(event.error);
  addEventListener("error", heard);
  await open();
  await userEvent.type(field(), "x");
  session.show({ canWrite: false, muted: "ended" });
  await tick();
  removeEventListener("error", heard);
  expect(faults).toEqual([]);
});

test.each([
  ["a seat", {}],
  ["the door", { phase: { kind: "door", capability: "full" } }],
  ["a seat that is taken again", { phase: { kind: "entering" } }],
] as const)("the browser's history holds no title of a session, at %s", async (_, more) => {
  await open(more);
  expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Nightly export misses rows");
  expect(document.title).toMatch(/ session – DevPilot session$/);
  expect(document.title).not.toContain("Nightly");
});

test("that an administrator re-keyed is said, and where the new link must come from", async () => {
  await open({ phase: { kind: "closed", why: "rekeyed", detail: "admin_rekey" } });
  expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent(
    "An administrator gave this session new keys",
  );
  expect(screen.getByText(/Ask a person whom you know/)).toBeVisible();
});
