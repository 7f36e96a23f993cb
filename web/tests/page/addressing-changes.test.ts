// What happens under an open list of people: whatever changes, nothing of the text is lost, and nobody is addressed whom the person
// who writes did not see chosen.
import { fireEvent, render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { beforeAll, describe, expect, test, vi } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import { later } from "../../src/page/later";
import type { Person, View } from "../../src/session/model";
import { ANA, BOT, Double, ME, message, NOW, person } from "./support/double";

const KENJI = person("Kenji");
let session: Double;

// As on a page that had a moment's rest.
beforeAll(() => later.addressing());

async function open(more: Partial<View> = {}) {
  session = new Double({ people: [ME, ANA, BOT, KENJI], ...more });
  render(App, { session, clock: new Clock(() => NOW) });
  await tick();
}
async function seen(people: readonly Person[]) {
  session.show({ people });
  await tick();
}
const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const press = (name: string | RegExp) => userEvent.click(screen.getByRole("button", { name }));
const list = () => screen.queryByRole("listbox", { name: "Whom it is for" });
const options = () => within(list()!).getAllByRole("option");
const named = () => options().map((option) => option.querySelector(".name")?.textContent);
const active = () => document.getElementById(field().getAttribute("aria-activedescendant") ?? "");
const chips = () => screen.queryAllByRole("button", { name: /^Not to/ });
const said = () => [...document.querySelectorAll(".composer [role=status].unseen")].map((p) => p.textContent);
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => person(`Person ${at}`, { id: `${1000 + at}aaaa` }));

describe("a text that changes by itself", () => {
  test("closes the list, so that a choice takes nothing of what came back", async () => {
    await open();
    let answer: ((stored: null) => void) | undefined;
    session.post = () => new Promise((settle) => (answer = settle));
    await userEvent.type(field(), "Lost");
    await press("Send");
    await userEvent.type(field(), "@ana");
    expect(list()).not.toBeNull();
    answer?.(null);
    await vi.waitFor(() => expect(field()).toHaveValue("Lost\n\n@ana"));
    expect(list()).toBeNull();
    await userEvent.keyboard("{Enter}");
    expect(chips()).toEqual([]);
    expect(field().value.startsWith("Lost\n\n@ana")).toBe(true);
  });

  test("also where a refused message is taken up again", async () => {
    await open({ items: [message(-1, "Before.", { author: ME, pending: "failed" })] });
    await userEvent.type(field(), "@ana");
    await fireEvent.click(screen.getByRole("button", { name: "Change it" }));
    expect(field()).toHaveValue("Before.\n\n@ana");
    expect(list()).toBeNull();
  });
});

test("an @ that was typed before the list could be shown opens it once it can", async () => {
  const parts = await later.addressing();
  let come: (() => void) | undefined;
  vi.spyOn(later, "addressing").mockReturnValueOnce(new Promise((then) => (come = () => then(parts))));
  await open();
  await userEvent.type(field(), "Ask @ken");
  expect(list()).toBeNull();
  come?.();
  await vi.waitFor(() => expect(list()).not.toBeNull());
  await userEvent.keyboard("{Enter}");
  expect(field()).toHaveValue("Ask Kenji ");
});

describe("who comes and goes", () => {
  test("moves nobody else under the key that takes", async () => {
    await open();
    await userEvent.type(field(), "@{ArrowDown}");
    const before = active();
    expect(before).toHaveTextContent("Ana's Claude");
    await seen([ME, person("Aaron"), person("Abel"), ANA, BOT, KENJI]);
    expect(named().slice(0, 2)).toEqual(["Aaron", "Abel"]);
    expect(active()).toBe(before);
    await userEvent.keyboard("{Enter}");
    expect(chips().map((chip) => chip.getAttribute("aria-label"))).toEqual(["Not to Ana's Claude"]);
  });

  test("leaves nobody chosen where that one is gone, and Enter takes and sends nothing", async () => {
    await open();
    await userEvent.click(screen.getByRole("checkbox", { name: "Enter sends" }));
    await userEvent.type(field(), "@an{ArrowDown}");
    await seen([ME, ANA, KENJI]);
    expect(list()).not.toBeNull();
    expect(active()).toBeNull();
    expect(said()).toContain("1 name: arrow keys choose.");
    await userEvent.keyboard("{Enter}");
    expect([chips(), session.asked]).toEqual([[], []]);
    expect(field()).toHaveValue("@an");
    await userEvent.keyboard("{ArrowUp}{Enter}");
    expect(chips()).toHaveLength(1);
  });

  test("opens no list by joining", async () => {
    await open();
    await userEvent.type(field(), "@newb");
    await seen([ME, ANA, person("Newbie")]);
    expect(list()).toBeNull();
  });
});

describe("the list that a button opened", () => {
  test("is narrowed by what is typed, and of that nothing stays", async () => {
    await open();
    await userEvent.type(field(), "Have a look.");
    await press("To…");
    await userEvent.keyboard("ken");
    expect(named()).toEqual(["Kenji"]);
    await userEvent.keyboard("{Enter}");
    expect(field()).toHaveValue("Have a look.");
    expect(chips()).toHaveLength(1);
  });

  test("closes for who writes on, and keeps what they write", async () => {
    await open();
    await press("To…");
    await userEvent.keyboard("Anyhow, yes");
    expect(list()).toBeNull();
    expect(field()).toHaveValue("Anyhow, yes");
  });

  test("a press beside a name leaves it open, and the focus where it is", async () => {
    await open({ people: [ME, ...many(60)] });
    await press("To…");
    for (const beside of [list()!, within(list()!).getByText(/more: type on/)]) {
      await userEvent.click(beside);
      expect(list()).not.toBeNull();
      expect(field()).toHaveFocus();
    }
  });

  test("one who can't be shown it, since that did not load, is told", async () => {
    vi.spyOn(later, "addressing").mockRejectedValue(new TypeError("no such chunk"));
    await open();
    await userEvent.type(field(), "@an{Enter}");
    expect([list(), chips()]).toEqual([null, []]);
    await press("To…");
    expect(await screen.findByRole("alert")).toHaveTextContent("Whom a message is for can't be shown");
    vi.mocked(later.addressing).mockRestore();
    await press("Close");
    await press("To…");
    expect(list()).not.toBeNull();
  });
});

test("however many there are, few are drawn: also of the last of them", async () => {
  await open({ people: [ME, ...many(3000)] });
  await userEvent.type(field(), "@{ArrowUp}");
  expect(active()).toHaveTextContent("Person 2999");
  expect(active()).toHaveAttribute("aria-posinset", "3000");
  expect(active()).toHaveAttribute("aria-setsize", "3000");
  expect(options().length).toBeLessThanOrEqual(50);
  await userEvent.keyboard("{ArrowDown}");
  expect(active()).toHaveTextContent("Person 0");
});

describe("those who hear it", () => {
  test("are told who was taken out, and not again who was chosen before", async () => {
    await open();
    await userEvent.type(field(), "@ken{Enter}");
    expect(said()).toContain("To Kenji.");
    await press("Not to Kenji");
    expect(said()).toContain("No longer to Kenji.");
    await userEvent.type(field(), "@zzz");
    expect(said().join()).not.toMatch(/To |No longer/);
  });

  test("are told why there is no list where nobody more can be named", async () => {
    const people = many(21);
    session = new Double({ people: [ME, ...people] });
    session.kept = { text: "Hi", to: people.slice(0, 20).map(({ id }) => id) };
    render(App, { session, clock: new Clock(() => NOW) });
    await screen.findByText(/No more than 20/);
    expect(screen.getByRole("button", { name: "To…" })).toHaveAttribute("aria-disabled", "true");
    await press("To…");
    expect(said()).toContain("No more than 20 can be named.");
    await userEvent.type(field(), " @");
    expect(said()).toContain("No more than 20 can be named.");
    await press("Not to Person 3");
    expect(screen.getByRole("button", { name: "To…" })).toHaveAttribute("aria-disabled", "false");
  });
});

describe("by keyboard", () => {
  test("at the beginning of the text Backspace takes the last one out, and in it a letter", async () => {
    await open();
    await userEvent.type(field(), "@ana{Enter}@ken{Enter}Hi{Backspace}");
    expect([field().value, chips().length]).toEqual(["H", 2]);
    await userEvent.keyboard("{Home}{Backspace}");
    expect(field()).toHaveValue("H");
    expect(chips().map((chip) => chip.getAttribute("aria-label"))).toEqual(["Not to Ana Ferreira"]);
    expect(said()).toContain("No longer to Kenji.");
  });

  test("held down it ends with the text", async () => {
    await open();
    await userEvent.type(field(), "@ken{Enter}");
    await fireEvent.keyDown(field(), { key: "Backspace", repeat: true });
    expect(chips()).toHaveLength(1);
  });

  test("one goes on with the next of them, and at last with the text", async () => {
    await open();
    await userEvent.type(field(), "@ana{Enter}@ken{Enter}@ana{Enter}");
    chips()[1]?.focus();
    await userEvent.keyboard("{Enter}");
    expect(chips()[1]).toHaveFocus();
    expect(chips()[1]).toHaveAccessibleName("Not to Ana's Claude");
    await userEvent.keyboard("{Enter}");
    expect(chips()[0]).toHaveFocus();
    await userEvent.keyboard("{Enter}");
    expect(field()).toHaveFocus();
  });
});

test("names that begin alike are told apart where they are cut, and stand in full in the title", async () => {
  const [one, other] = ["1", "2"].map((last) =>
    person(`Person with a rather long name ${last}`, { id: `${last}234abcd` }),
  ) as [Person, Person];
  await open({ people: [ME, one, other, KENJI] });
  await userEvent.type(field(), "@person{Enter}@ken{Enter}");
  const of = (name: RegExp) => screen.getByRole("button", { name }).closest("li");
  expect(of(/name 1/)).toHaveTextContent("#1234");
  expect(of(/name 1/)?.title).toContain("Person with a rather long name 1");
  expect(of(/Kenji/)).not.toHaveTextContent("#");
});
