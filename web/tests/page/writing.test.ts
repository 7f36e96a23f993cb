// Writing with an input method, in auto, and what was chosen once.
import { createEvent, fireEvent, render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { describe, expect, test } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import type { View } from "../../src/session/model";
import { auto, Double, message, NOW } from "./support/double";

let session: Double;

async function open(more: Partial<View> = {}) {
  session = new Double(more);
  render(App, { session, clock: new Clock(() => NOW) });
  await tick();
}
const field = () => screen.getByRole("textbox", { name: "Message" });
const press = (name: string | RegExp) => userEvent.click(screen.getByRole("button", { name }));

describe.each([
  ["composing", { isComposing: true }],
  ["composing, as Safari says it", { keyCode: 229 }],
])("a key while %s", (_, how) => {
  const compose = async (key: string) => {
    const event = createEvent.keyDown(field(), { key, ...how });
    await fireEvent(field(), event);
    return event.defaultPrevented;
  };

  test("sends nothing, and takes nothing from the input method", async () => {
    await open();
    await userEvent.click(screen.getByRole("checkbox", { name: "Enter sends" }));
    await userEvent.type(field(), "ni");
    expect(await compose("Enter")).toBe(false);
    expect(session.asked).toEqual([]);
  });

  test("gives up no reply and closes no search", async () => {
    await open({ items: [message(3, "Which one?")] });
    await press(/^Reply/);
    await press("Search");
    expect(await compose("Escape")).toBe(false);
    expect(screen.getByRole("button", { name: "Not a reply" })).toBeVisible();
    expect(screen.getByRole("search")).toBeVisible();
  });
});

test("Escape closes one thing: first the reply, then the search", async () => {
  await open({ items: [message(3, "Which one?")] });
  await press(/^Reply/);
  await press("Search");
  field().focus();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("button", { name: "Not a reply" })).toBeNull();
  expect(screen.getByRole("search")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("search")).toBeNull();
});

test("that Enter sends is still so after the field went and came back", async () => {
  await open();
  await userEvent.click(screen.getByRole("checkbox", { name: "Enter sends" }));
  session.show({ phase: { kind: "closed", why: "unreachable" } });
  await tick();
  session.show({ phase: { kind: "seated" } });
  await tick();
  expect(screen.getByRole("checkbox", { name: "Enter sends" })).toBeChecked();
});

test("a page that was told before how somebody writes goes on so, and keeps what is chosen", async () => {
  session = new Double({ items: [message(1, "a"), message(2, "b")] });
  session.chosen = { enterSends: true, singleKeys: false };
  render(App, { session, clock: new Clock(() => NOW) });
  await tick();
  expect(screen.getByRole("checkbox", { name: "Enter sends" })).toBeChecked();
  await userEvent.keyboard("/");
  expect(screen.queryByRole("search")).toBeNull();
  await userEvent.click(screen.getByRole("checkbox", { name: "Enter sends" }));
  expect(session.chosen).toEqual({ enterSends: false, singleKeys: false });
});

describe("in auto", () => {
  test.each([
    [13, "Counts as one of the 13 messages left."],
    [1, "Counts as the last message that is left."],
  ])("with %i left, a message counts as one of them", async (budgetLeft, words) => {
    await open({ mode: auto({ budgetLeft }) });
    expect(field()).toHaveAccessibleDescription(expect.stringContaining(words));
  });

  test("nothing is said where it is not known, or there is nothing to count", async () => {
    const { budgetLeft: _, ...unknown } = auto();
    await open({ mode: unknown });
    expect(document.body).not.toHaveTextContent("Counts as");
    session.show({ mode: { name: "relay", accepted: [], youAccepted: false, budgetLeft: 13 } });
    await tick();
    expect(document.body).not.toHaveTextContent("Counts as");
  });
});
