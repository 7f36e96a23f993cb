// The pages before and after a seat: the door, knocking, and each way of being closed.
import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { describe, expect, test, vi } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import { CLOSED } from "../../src/page/closed/texts";
import type { ClosedWhy } from "../../src/session/model";
import { auto, Double, message, NOW } from "./support/double";

async function open(session: Double) {
  let now = NOW;
  const clock = new Clock(() => now);
  render(App, { session, clock });
  await new Promise((drawn) => setTimeout(drawn));
  return async (ms: number) => {
    now += ms;
    clock.tick();
    await tick();
  };
}

test("what can't be drawn ends in a sentence, and not in a page that stands still", () => {
  const failed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  // Beyond what a date holds: no session gives it.
  open(new Double({ mode: auto({ endsAt: 9e15 }) }));
  expect(screen.getByRole("alert")).toHaveTextContent("Nothing was lost; reload the page.");
  failed.mockRestore();
});

describe("the door", () => {
  test("says what the link gives and what this page can't promise", async () => {
    await open(new Double({ phase: { kind: "door", capability: "full" } }));
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Nightly export misses rows");
    expect(screen.getByText(/read all of it and write into it/)).toBeVisible();
    expect(screen.getByText(/Whoever serves this page could alter it/)).toHaveTextContent(
      "devpilot-session join, does not depend on this page",
    );
  });

  test("takes a name and joins with it", async () => {
    const session = new Double({ phase: { kind: "door", capability: "full" } });
    await open(session);
    await userEvent.type(screen.getByLabelText(/Your name/), "  Sam {Enter}");
    expect(session.asked).toEqual([["join", "Sam"]]);
    session.show({ phase: { kind: "entering" } });
    await tick();
    expect(screen.getByRole("button", { name: "Join" })).toHaveAttribute("aria-disabled", "true");
    expect(screen.getByLabelText(/Your name/)).toHaveValue("  Sam ");
  });

  test("asks for a name before anything is sent", async () => {
    const session = new Double({ phase: { kind: "door", capability: "full" } });
    await open(session);
    await userEvent.click(screen.getByRole("button", { name: "Join" }));
    expect(screen.getByRole("alert")).toHaveTextContent("Pick a name first");
    expect(screen.getByLabelText(/Your name/)).toHaveFocus();
    expect(session.asked).toEqual([]);
  });

  test("says that a view link can't write, also on the way in", async () => {
    const session = new Double({ phase: { kind: "door", capability: "view" } });
    await open(session);
    expect(screen.getByText(/write nothing/)).toBeVisible();
    session.show({ phase: { kind: "entering" } });
    await tick();
    expect(screen.getByText(/write nothing/)).toBeVisible();
    expect(screen.getByRole("button", { name: "Look on" })).toBeVisible();
  });

  test("shows what was refused", async () => {
    await open(
      new Double({ phase: { kind: "door", capability: "full" }, trouble: "Too many joins; wait a minute." }),
    );
    expect(screen.getByRole("alert")).toHaveTextContent("Too many joins");
  });
});

test("who knocked is told that they wait, and how long", async () => {
  const pass = await open(new Double({ phase: { kind: "knocking", since: NOW - 10_000 } }));
  expect(screen.getByText("10 seconds")).toBeVisible();
  await pass(170_000);
  expect(screen.getByText("3 minutes")).toBeVisible();
});

describe("closed", () => {
  test.each(Object.keys(CLOSED) as ClosedWhy[])("%s has a page of its own", async (why) => {
    await open(new Double({ phase: { kind: "closed", why } }));
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent(CLOSED[why].title);
    expect(screen.getByText(CLOSED[why].happened)).toBeVisible();
    expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toEqual(
      CLOSED[why].next.map((step) => step.replaceAll("`", "")),
    );
    expect(screen.queryByRole("textbox")).toBeNull();
  });

  test.each(["elsewhere", "left"] as const)("%s offers to join as another", async (why) => {
    const session = new Double({ phase: { kind: "closed", why } });
    await open(session);
    await userEvent.click(screen.getByRole("button", { name: /another participant/ }));
    expect(session.asked).toEqual([["joinAsAnother"]]);
  });

  test("unreachable counts down to the next try", async () => {
    const pass = await open(
      new Double({ phase: { kind: "closed", why: "unreachable" }, retryAt: NOW + 12_000 }),
    );
    expect(screen.getByText("0:12")).toBeVisible();
    await pass(5_000);
    expect(screen.getByText("0:07")).toBeVisible();
  });

  test("what was read before is said to stay only where there is some, and no longer than it does", async () => {
    const session = new Double({ phase: { kind: "closed", why: "removed" } });
    await open(session);
    expect(document.body).not.toHaveTextContent(/stays here|until you close/);
    session.show({ items: [message(1, "The last word")] });
    await tick();
    const said = "It stays here until you close or reload this page; export it now if you need it.";
    expect(screen.getByText(said)).toBeVisible();
  });

  test("what was read before is still there", async () => {
    await open(
      new Double({ phase: { kind: "closed", why: "removed" }, items: [message(1, "The last word")] }),
    );
    expect(screen.queryByText("The last word")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Show the transcript" }));
    expect(await screen.findByText("The last word")).toBeVisible();
    expect(screen.queryByRole("button", { name: /Reply/ })).toBeNull();
  });
});
