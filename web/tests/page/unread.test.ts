// What is new to the reader: not what was there before they came, and what came while nobody looked.
import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { afterEach, describe, expect, test, vi } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import type { View } from "../../src/session/model";
import { article } from "./support/article";
import { Double, ME, message, NOW } from "./support/double";

let session: Double;

async function open(more: Partial<View> = {}) {
  session = new Double(more);
  render(App, { session, clock: new Clock(() => NOW) });
  await tick();
}

async function turn(state: DocumentVisibilityState) {
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(state);
  document.dispatchEvent(new Event("visibilitychange"));
  await tick();
}

async function add(...seqs: readonly number[]) {
  session.add(...seqs.map((seq) => message(seq, `Number ${seq}`)));
  await tick();
}

const line = () => screen.queryByText("New", { exact: true });
const TITLE = "A session – DevPilot session";

afterEach(() => vi.restoreAllMocks());

describe("a tab that nobody sees", () => {
  test("counts in its title what others say, and from where that begins is shown to who comes back", async () => {
    await open({ items: [message(3, "Before")] });
    await turn("hidden");
    expect(document.title).toBe(TITLE);
    await add(4, 5);
    session.add(message(6, "Mine", { author: ME }));
    session.add({ kind: "event", seq: 7, at: NOW, text: "Somebody joined.", tone: "plain" });
    await add(8);
    expect(document.title).toBe(`(3) ${TITLE}`);
    await turn("visible");
    expect(document.title).toBe(TITLE);
    expect(line()?.closest(".row")).toContainElement(article(4));
    await add(9);
    expect(line()?.closest(".row")).toContainElement(article(4));
    await turn("hidden");
    expect(line()).toBeNull();
    await turn("visible");
    expect(line()).toBeNull();
  });

  test("has no such line once the reader wrote", async () => {
    await open({ items: [message(3, "Before")] });
    await turn("hidden");
    await add(4);
    await turn("visible");
    expect(line()).not.toBeNull();
    await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "Yes{Control>}{Enter}{/Control}");
    expect(line()).toBeNull();
  });

  test("names the author anew below the line, also of one who goes on", async () => {
    await open({ items: [message(3, "Before", { at: NOW })] });
    await turn("hidden");
    session.add(message(4, "After", { at: NOW + 1_000 }));
    await turn("visible");
    expect(article(4).querySelector(".head.unseen")).toBeNull();
  });

  test("that was opened so counts nothing of what was there before", async () => {
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    await open({ items: [], connection: "connecting", loading: { done: 0, total: 2 } });
    await add(3);
    session.show({ connection: "live" });
    session.finish(message(4, "The last of the old"));
    await tick();
    expect(document.title).toBe(TITLE);
    await add(5);
    expect(document.title).toBe(`(1) ${TITLE}`);
  });
});

test("history is not said, although it comes before anything says that it is being loaded", async () => {
  await open({ items: [], connection: "connecting" });
  await add(3, 4);
  session.show({ connection: "live" });
  await tick();
  await add(5);
  const log = screen.getByRole("log");
  expect(log).toHaveTextContent("Number 5");
  expect(log).not.toHaveTextContent("Number 4");
});

test("what is read aloud has no signs that form it", async () => {
  await open({ items: [message(3, "old")] });
  session.add(message(4, "## Done\n\n- **all** of `it`"));
  await tick();
  expect(screen.getByRole("log")).toHaveTextContent("Ana Ferreira: Done all of it");
});

describe("a session of which nothing was seen yet", () => {
  const { title: _, ...nothing } = new Double({ items: [], people: [ME] }).view;

  test.each(["connecting", "waiting"] as const)("is being opened, while %s", async (connection) => {
    await open({ ...nothing, connection });
    session.show({ title: "" });
    await tick();
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Opening…");
    expect(document.body).not.toHaveTextContent(/Nothing has been said|Untitled|1 here/);
    // Nor who else is here, who may come in, and what agents may do.
    expect(screen.getByRole("heading", { name: /^People/ })).toHaveTextContent("People and agents …");
    expect(screen.getByRole("heading", { name: /^Mode/ })).toHaveTextContent("Mode: …");
    expect(document.body).not.toHaveTextContent(/may come in|observe|relay/);
    expect(document.querySelector(".empty")).toHaveTextContent("Opening…");
    session.show({ connection: "live" });
    await tick();
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Untitled session");
    expect(document.body).toHaveTextContent(/Nothing has been said yet/);
    expect(screen.getByRole("heading", { name: /^People/ })).toHaveTextContent("People and agents 1");
    expect(screen.getByRole("heading", { name: "Mode: observe" })).toBeVisible();
  });
});
