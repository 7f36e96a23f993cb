// Names: what tells look-alikes apart stands with each of them, wherever a name is drawn; and never more than some of them.
import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { expect, test } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import type { View } from "../../src/session/model";
import { article } from "./support/article";
import { ANA, auto, Double, ME, message, NOW, person, proposal, view } from "./support/double";

let session: Double;

async function open(more: Partial<View> = {}) {
  session = new Double(more);
  render(App, { session, clock: new Clock(() => NOW) });
  await tick();
}

const TWIN = { ...ANA, id: "79f2", tag: "79f2" };
const many = (count: number) => Array.from({ length: count }, (_, at) => person(`P${at}`));

test("a twin has its tag wherever it is named", async () => {
  await open({
    items: [
      message(3, "Pinned words", { author: TWIN, pinned: true }),
      message(4, "An answer", { author: ME, replyTo: 3, to: [TWIN] }),
    ],
    mode: auto({ accepted: [ME, TWIN] }),
    proposal: proposal({ by: TWIN }),
    integrity: { ...view().integrity, confirmedBy: TWIN },
  });
  const CALLED = "Ana Ferreira #79f2";
  expect(article(3)).toHaveTextContent(CALLED);
  const answer = article(4);
  expect(within(answer).getByTitle("Go to message 3")).toHaveTextContent(CALLED);
  expect(answer).toHaveTextContent(`to ${CALLED}`);
  // A name that is a list of names is one in quotation marks.
  expect(
    within(answer).getByText("to", { exact: false, selector: ".soft" }).querySelector("q"),
  ).toHaveTextContent(CALLED);
  expect(screen.getByRole("region", { name: "Pinned" })).toHaveTextContent(CALLED);
  expect(screen.getByText(/^Agreed:/)).toHaveTextContent(`Agreed: you and ${CALLED}`);
  expect(screen.getByRole("heading", { name: /proposes auto/ })).toHaveTextContent(`${CALLED} proposes auto`);
  expect(screen.getByText(/Confirmed up to record/)).toHaveTextContent(CALLED);
  const shown = within(article(3));
  await userEvent.click(shown.getByRole("button", { name: /^Reply/ }));
  expect(screen.getByRole("button", { name: /Reply to/ })).toHaveTextContent(`Reply to ${CALLED}`);
  session.add(message(5, "Heard", { author: TWIN }));
  await tick();
  expect(screen.getByRole("log")).toHaveTextContent(`${CALLED}: Heard`);
});

test.each(["owner", "you", "to you", "listening", "pinned"])(
  "a kind or a topic %j is somebody's word, and no mark of the page's",
  async (word) => {
    await open({ items: [message(3, "x", { messageKind: word, topic: word })] });
    const shown = article(3);
    expect(shown.querySelector(".mark")).toBeNull();
    expect([...shown.querySelectorAll("q")].map((quoted) => quoted.textContent)).toEqual([word, word]);
  },
);

test("of many addressees and paths some are drawn, and the rest is counted", async () => {
  await open({
    items: [message(3, "x", { to: many(20), moreTo: 5_981, paths: ["a", "b"], morePaths: 59_980 })],
  });
  const shown = article(3);
  expect(shown).toHaveTextContent("P19 and 5,981 more");
  expect(shown).toHaveTextContent("b and 59,980 more");
  expect(shown.querySelectorAll("*").length).toBeLessThan(150);
});

test("of many who agreed some are drawn, and the rest is counted", async () => {
  await open({ mode: auto({ accepted: many(3_000) }) });
  const agreed = screen.getByText(/^Agreed:/);
  expect(agreed).toHaveTextContent("P19 and 2,980 more");
  expect(agreed.querySelectorAll("*").length).toBeLessThan(50);
});

test("of many people some are drawn; more come when asked for, and each can be looked for", async () => {
  await open({ people: [...many(3_000), person("Gone", { here: false })] });
  const list = screen.getByRole("region", { name: /People and agents/ });
  expect(list.querySelectorAll("*").length).toBeLessThan(800);
  expect(within(list).getAllByRole("listitem")).toHaveLength(51);
  expect(list).toHaveTextContent("and 2,950 more");
  await userEvent.click(within(list).getByRole("button", { name: "Show 50 of them" }));
  expect(within(list).getAllByRole("listitem")).toHaveLength(101);
  await userEvent.type(within(list).getByRole("searchbox", { name: "Look for somebody" }), "p2999");
  expect(within(list).getByText("P2999")).toBeVisible();
  expect(within(list).queryByText("P1")).toBeNull();
});

test("few people need no search", async () => {
  await open();
  expect(screen.queryByRole("searchbox")).toBeNull();
});
