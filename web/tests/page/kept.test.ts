// What must not be lost or taken: the address, a refused reply, a kept seat, keys that somebody turned off.
import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { expect, test } from "vitest";
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
const field = () => screen.getByRole("textbox", { name: "Message" });
const press = (name: string | RegExp) => userEvent.click(screen.getByRole("button", { name }));

test.each([
  ["Skip to the transcript", "transcript", {}],
  ["Skip to the content", "main", { phase: { kind: "door", capability: "full" } }],
] as const)(
  "“%s” moves the focus and leaves the address, which a reload reads as a link",
  async (name, id, more) => {
    await open(more);
    await userEvent.click(screen.getByRole("link", { name }));
    expect(document.getElementById(id)).toHaveFocus();
    expect(location.hash).toBe("");
  },
);

test("a refused reply comes back as a reply", async () => {
  await open({ items: [message(3, "Which one?")] });
  session.stored = null;
  await press(/^Reply/);
  await userEvent.type(field(), "The second.");
  await press("Send");
  expect(field()).toHaveValue("The second.");
  await press("Send");
  expect(session.asked).toEqual([
    ["post", { text: "The second.", replyTo: 3 }],
    ["post", { text: "The second.", replyTo: 3 }],
  ]);
});

test("a refused message comes back although an earlier one of the same words waits", async () => {
  await open({ items: [message(-1, "Again.", { author: ME, pending: "failed" })] });
  session.stored = null;
  await userEvent.type(field(), "Again.");
  await press("Send");
  expect(field()).toHaveValue("Again.");
});

test("a seat that this tab kept is opened without asking for a name", async () => {
  await open({ phase: { kind: "entering" } });
  expect(screen.getByText("Opening the session…")).toBeVisible();
  expect(screen.queryByRole("textbox")).toBeNull();
});

test("single keys can be turned off; arrows write nothing and stay", async () => {
  await open({ items: [message(1, "a"), message(2, "b")] });
  await userEvent.keyboard("?");
  await userEvent.click(screen.getByRole("checkbox", { name: /commands/ }));
  await press("Close");
  await userEvent.keyboard("/");
  expect(screen.queryByRole("searchbox")).toBeNull();
  await userEvent.keyboard("{ArrowUp}");
  expect(article(2)).toHaveFocus();
});

test("what is being written is kept as it stands, and found again by the next page", async () => {
  await open({ items: [message(3, "Which one?")] });
  await press(/^Reply/);
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Kind" }), "answer");
  await userEvent.type(field(), "The sec");
  expect(session.kept).toEqual({ text: "The sec", kind: "answer", topic: "", replyTo: 3 });
});

test("after a reload it is there again, as the answer it was once that is shown", async () => {
  session = new Double({ items: [] });
  session.kept = { text: "The sec", kind: "answer", topic: "t", replyTo: 3 };
  render(App, { session, clock: new Clock(() => NOW) });
  await tick();
  expect(field()).toHaveValue("The sec");
  expect(session.kept).toMatchObject({ text: "The sec", replyTo: 3 });
  session.add(message(3, "Which one?"));
  await tick();
  await userEvent.type(field(), "ond.");
  await press("Send");
  expect(session.asked).toEqual([["post", { text: "The second.", kind: "answer", topic: "t", replyTo: 3 }]]);
});

test("what was sent or emptied is not kept", async () => {
  await open({ items: [message(3, "x")] });
  await userEvent.type(field(), "a");
  await press("Send");
  expect(session.kept).toBeNull();
  await userEvent.type(field(), "b{Backspace}");
  expect(session.kept).toBeNull();
});
