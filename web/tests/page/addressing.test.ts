// Saying whom a message is for: the list behind an `@`, by keyboard and by hand (WAI-ARIA, combobox pattern with a listbox), and
// what is sent (mcp-client.md: `to` names participants by id).
import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { beforeAll, describe, expect, test } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import { later } from "../../src/page/later";
import type { View } from "../../src/session/model";
import { ANA, BOT, Double, ME, message, NOW, person } from "./support/double";

const KENJI = person("Kenji", { here: false });
let session: Double;

// As on a page that had a moment's rest.
beforeAll(() => later.addressing());

async function open(more: Partial<View> = {}) {
  session = new Double({ people: [ME, ANA, BOT, KENJI], ...more });
  render(App, { session, clock: new Clock(() => NOW) });
  await tick();
}
const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const press = (name: string | RegExp) => userEvent.click(screen.getByRole("button", { name }));
const list = () => screen.queryByRole("listbox", { name: "Whom it is for" });
const options = () => within(list()!).getAllByRole("option");
const named = () => options().map((option) => option.querySelector(".name")?.textContent);
const active = () => document.getElementById(field().getAttribute("aria-activedescendant") ?? "");
const recipients = () => screen.queryByRole("group", { name: "To:" });

describe("an @ opens the list", () => {
  test("of all others, here and earlier, program and person told apart in words", async () => {
    await open();
    await userEvent.type(field(), "@");
    expect(named()).toEqual(["Ana Ferreira", "Ana's Claude", "Kenji"]);
    expect(options().map((option) => /agent|human/.exec(option.textContent ?? "")?.[0])).toEqual([
      "human",
      "agent",
      "human",
    ]);
    expect(options()[2]).toHaveTextContent("left");
  });

  test("the focus stays in the field, which names the list and the one it is on", async () => {
    await open();
    await userEvent.type(field(), "@ana");
    expect(field()).toHaveFocus();
    expect(field()).toHaveAttribute("aria-controls", list()!.id);
    expect(active()).toBe(options()[0]);
    expect(options().map((option) => option.getAttribute("aria-selected"))).toEqual(["true", "false"]);
    await userEvent.keyboard("{ArrowDown}");
    expect(active()).toBe(options()[1]);
    await userEvent.keyboard("{ArrowDown}");
    expect(active()).toBe(options()[0]);
    await userEvent.keyboard("{ArrowUp}");
    expect(active()).toBe(options()[1]);
    await userEvent.type(field(), "'");
    expect(active()).toBe(options()[0]);
  });

  test("how many there are is said", async () => {
    await open();
    await userEvent.type(field(), "@ana");
    expect(screen.getByText("2 names: arrow keys choose, Enter takes.")).toHaveAttribute("role", "status");
  });

  test("and none where nobody fits, or nobody else is there", async () => {
    await open({ people: [ME] });
    await userEvent.type(field(), "@s");
    expect(list()).toBeNull();
    expect(field()).not.toHaveAttribute("aria-activedescendant");
    expect(screen.queryByRole("button", { name: "To…" })).toBeNull();
  });
});

describe.each(["Enter", "Tab"])("%s takes the one it is on", (key) => {
  test("it goes with the message, and nothing of it stays at the beginning of the text", async () => {
    await open();
    await userEvent.type(field(), `@ana{ArrowDown}{${key}}`);
    expect(list()).toBeNull();
    expect(field()).toHaveFocus();
    expect(field()).toHaveValue("");
    await userEvent.type(field(), `@ken{${key}}Look here.`);
    await press("Send");
    expect(session.asked).toEqual([["post", { text: "Look here.", to: [BOT.id, KENJI.id] }]]);
    expect(recipients()).toBeNull();
  });

  test("in a sentence the name stays, and the caret behind it", async () => {
    await open();
    await userEvent.type(field(), `Let @ken{${key}}have a look.`);
    await press("Send");
    expect(session.asked).toEqual([["post", { text: "Let Kenji have a look.", to: [KENJI.id] }]]);
  });
});

test("Enter takes a name also where it would send, and then sends", async () => {
  await open();
  await userEvent.click(screen.getByRole("checkbox", { name: "Enter sends" }));
  await userEvent.type(field(), "@ken{Enter}");
  expect(session.asked).toEqual([]);
  await userEvent.type(field(), "Hello{Enter}");
  expect(session.asked).toEqual([["post", { text: "Hello", to: [KENJI.id] }]]);
});

test("Escape closes the list and nothing else; it opens again for another @", async () => {
  await open({ items: [message(3, "Which one?")] });
  await press(/^Reply/);
  await userEvent.type(field(), "x @ana{Escape}");
  expect(list()).toBeNull();
  expect(screen.getByRole("button", { name: "Not a reply" })).toBeVisible();
  await userEvent.type(field(), " f");
  expect(list()).toBeNull();
  await userEvent.type(field(), " @");
  expect(list()).not.toBeNull();
});

test("a finger or a mouse takes one as well, and the field keeps the focus", async () => {
  await open();
  await userEvent.type(field(), "@");
  await userEvent.click(options()[1]!);
  expect(within(recipients()!).getByText("Ana's Claude")).toBeVisible();
  expect(field()).toHaveFocus();
});

test("a button opens the list for who types no @, and takes nothing from the text", async () => {
  await open();
  await userEvent.type(field(), "Have a look.");
  await press("To…");
  expect(field()).toHaveFocus();
  expect(screen.getByRole("button", { name: "To…" })).toHaveAttribute("aria-expanded", "true");
  await press("To…");
  expect(list()).toBeNull();
  await press("To…");
  await userEvent.keyboard("{Enter}");
  expect(field()).toHaveValue("Have a look.");
  await press("Send");
  expect(session.asked).toEqual([["post", { text: "Have a look.", to: [ANA.id] }]]);
});

describe("who was chosen", () => {
  test("stands above the text, can be taken out again, and everybody is told to read it", async () => {
    await open();
    await userEvent.type(field(), "@ana{Enter}@ken{Enter}Hi");
    expect(recipients()).toHaveTextContent(/Ana Ferreira.*Kenji.*left.*Everybody can read it/);
    await press("Not to Ana Ferreira");
    expect(field()).toHaveFocus();
    await press("Send");
    expect(session.asked).toEqual([["post", { text: "Hi", to: [KENJI.id] }]]);
  });

  test("is not offered again", async () => {
    await open();
    await userEvent.type(field(), "@ana{Enter}@");
    expect(named()).toEqual(["Ana's Claude", "Kenji"]);
  });

  test("is kept over a reload, and comes back with a message that did not go", async () => {
    await open();
    session.stored = null;
    await userEvent.type(field(), "@ken{Enter}Hi");
    expect(session.kept).toMatchObject({ text: "Hi", to: [KENJI.id] });
    await press("Send");
    expect(within(recipients()!).getByText("Kenji")).toBeVisible();
    expect(field()).toHaveValue("Hi");
  });

  test("is there again on the next page, also before it is known who that is", async () => {
    session = new Double({ people: [ME] });
    session.kept = { text: "Hi", to: ["79f2ab00"] };
    render(App, { session, clock: new Clock(() => NOW) });
    await tick();
    expect(await screen.findByRole("group", { name: "To:" })).toHaveTextContent("unknown #79f2");
    session.show({ people: [ME, person("Kenji", { id: "79f2ab00" })] });
    await tick();
    expect(recipients()).toHaveTextContent("Kenji");
  });

  test("is not filled in by a reply: that it answers them is said by the reply", async () => {
    await open({ items: [message(3, "Which one?")] });
    await press(/^Reply/);
    expect(recipients()).toBeNull();
    await userEvent.type(field(), "The second.");
    await press("Send");
    expect(session.asked).toEqual([["post", { text: "The second.", replyTo: 3 }]]);
  });

  test("of a refused message comes along when it is changed", async () => {
    await open({ items: [message(-1, "Again.", { author: ME, pending: "failed", to: [KENJI] })] });
    await press("Change it");
    expect(within(recipients()!).getByText("Kenji")).toBeVisible();
  });
});
