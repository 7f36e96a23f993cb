// The mode: what it means, what is left of it, and who may change it how.
import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { describe, expect, test } from "vitest";
import { Clock } from "../../src/page/clock.svelte";
import Meter from "../../src/page/mode/Meter.svelte";
import { MEANS } from "../../src/page/mode/texts";
import type { Mode, Proposal } from "../../src/session/model";
import { auto, Double, ME, NOW, OBSERVE, proposal } from "./support/double";

interface More {
  proposal?: Proposal;
  muted?: string;
  canLower?: boolean;
  canStop?: boolean;
}

function open(mode: Mode, more: More = {}) {
  const session = new Double();
  let now = NOW;
  const clock = new Clock(() => now);
  render(Meter, {
    mode,
    proposal: more.proposal,
    muted: more.muted,
    canLower: more.canLower ?? true,
    canStop: more.canStop ?? true,
    session,
    clock,
  });
  return {
    session,
    pass: async (ms: number) => {
      now += ms;
      clock.tick();
      await tick();
    },
  };
}
const press = (name: string | RegExp) => userEvent.click(screen.getByRole("button", { name }));

describe("observe and relay", () => {
  test.each([
    ["observe", "Go to relay", "relay"],
    ["relay", "Back to observe", "observe"],
  ] as const)("%s says what it means and leads to the other", async (name, button, to) => {
    const { session } = open({ ...OBSERVE, name });
    expect(screen.getByRole("heading", { level: 2 })).toHaveTextContent(`Mode: ${name}`);
    expect(screen.getByText(MEANS[name])).toBeVisible();
    await press(button);
    expect(session.asked).toEqual([["setMode", to]]);
  });

  test("a view participant changes nothing, and is told why", () => {
    open(OBSERVE, { muted: "By a view link.", canLower: false });
    expect(screen.queryByRole("button")).toBeNull();
    expect(screen.getByText("By a view link.")).toBeVisible();
  });

  test("while writing is off the way back to observe is open, and no other", () => {
    open({ ...OBSERVE, name: "relay" }, { muted: "Not now.", proposal: proposal() });
    expect(screen.getAllByRole("button").map((button) => button.textContent)).toEqual([
      "Decline",
      "Back to observe",
    ]);
    expect(screen.getByText("Not now.")).toBeVisible();
  });

  test("where the mode counts as observe because of an alarm, auto can still be stopped", async () => {
    const { session } = open({ ...OBSERVE, autoElsewhere: true }, { muted: "Not now." });
    await press("Stop auto");
    expect(session.asked).toEqual([["stop"]]);
  });
});

test("where nothing says that others are in auto, a stop is there and cries no alarm", async () => {
  const { session } = open({ ...OBSERVE, autoElsewhere: true, autoUnheard: true }, { muted: "Not now." });
  expect(screen.getByText("Whether others are in auto is not heard here.")).toBeVisible();
  expect(document.body).not.toHaveTextContent("Others may be in auto");
  const stop = screen.getByRole("button", { name: "Stop auto, if it is on" });
  expect(stop).not.toHaveClass("alarming");
  await userEvent.click(stop);
  expect(session.asked).toEqual([["stop"]]);
});

describe("a proposal", () => {
  test("is 20 messages and 30 minutes unless somebody says otherwise", async () => {
    const { session } = open(OBSERVE);
    await press("Propose auto…");
    await userEvent.type(screen.getByLabelText("Goal"), "Fix the export.");
    await press("Propose");
    expect(session.asked).toEqual([["propose", "Fix the export.", 20, 1_800_000]]);
  });

  test("that was refused stays as it was typed, with the reason beside it, until it is taken", async () => {
    const { session } = open(OBSERVE);
    await press("Propose auto…");
    await userEvent.type(screen.getByLabelText("Goal"), "Fix the export.");
    session.refusal = "Somebody else changed the mode first.";
    await press("Propose");
    expect(within(screen.getByRole("form")).getByRole("alert")).toHaveTextContent("changed the mode first");
    expect(screen.getByLabelText("Goal")).toHaveValue("Fix the export.");
    session.refusal = undefined;
    await press("Propose");
    expect(screen.queryByLabelText("Goal")).toBeNull();
    expect(session.asked).toHaveLength(2);
  });

  test("needs a goal and bounds that the server takes", async () => {
    const { session } = open(OBSERVE);
    await press("Propose auto…");
    await press("Propose");
    expect(screen.getByRole("alert")).toHaveTextContent("Say what the agents should reach");
    await userEvent.type(screen.getByLabelText("Goal"), "x");
    await userEvent.clear(screen.getByLabelText("Messages"));
    await userEvent.type(screen.getByLabelText("Messages"), "201");
    await press("Propose");
    expect(screen.getByRole("alert")).toHaveTextContent("from 1 to 200");
    expect(session.asked).toEqual([]);
  });

  test("of somebody else shows its goal and bounds, and is accepted or declined", async () => {
    const { session } = open(OBSERVE, { proposal: proposal() });
    const group = within(screen.getByRole("group", { name: /Ana Ferreira proposes auto/ }));
    expect(group.getByText("Fix the export.")).toBeVisible();
    expect(group.getByText(/Up to 20 messages within 30 minutes/)).toHaveTextContent("Lapses in 9:00");
    await press("Accept");
    await press("Decline");
    expect(session.asked).toEqual([["accept"], ["decline"]]);
  });

  test("says that this is one person's consent, and what to run for an agent", () => {
    open(OBSERVE, { proposal: proposal() });
    expect(screen.getByText(/your own consent/)).toHaveTextContent(
      "Each agent is in it only after a yes on its own machine: there, run devpilot-session mode accept.",
    );
  });

  test("of one's own can be taken back, not accepted", async () => {
    const { session } = open(OBSERVE, { proposal: proposal({ yours: true, by: ME }) });
    expect(screen.queryByRole("button", { name: "Accept" })).toBeNull();
    await press("Take it back");
    expect(session.asked).toEqual([["decline"]]);
  });

  test("whose goal can't be opened says so", () => {
    const { goal: _, ...closed } = proposal();
    open(OBSERVE, { proposal: closed });
    expect(screen.getByText(/goal can't be opened/)).toBeVisible();
  });
});

describe("auto", () => {
  test("shows goal, budget as bar and number, and the time as it goes", async () => {
    const { pass } = open(auto());
    expect(screen.getByText(/Find out why/)).toBeVisible();
    expect(screen.getByText("13 of 20")).toBeVisible();
    expect(screen.getByRole("meter", { name: "Messages left" })).toHaveAttribute("value", "13");
    expect(screen.getByText("17:05")).toBeVisible();
    await pass(66_000);
    expect(screen.getByText("15:59")).toBeVisible();
    await pass(3_600_000);
    expect(screen.getByText("0:00")).toBeVisible();
  });

  test("is stopped with one click, also by who only looks on", async () => {
    const { session } = open(auto(), { muted: "By a view link.", canLower: false });
    expect(screen.queryByRole("button", { name: /Accept/ })).toBeNull();
    await press("Stop now");
    expect(session.asked).toEqual([["stop"]]);
  });

  test("can be joined later, once", async () => {
    const { session } = open(auto());
    await press("Accept as well");
    expect(session.asked).toEqual([["accept"]]);
  });

  test("does not offer what was given already", () => {
    open(auto({ youAccepted: true }));
    expect(screen.queryByRole("button", { name: /Accept/ })).toBeNull();
    expect(screen.queryByRole("button", { name: /Propose/ })).toBeNull();
  });
});

test("a stop that takes long says that it is under way", async () => {
  const { session } = open(auto());
  let answer: () => void = () => undefined;
  session.stop = () => new Promise((done) => (answer = done));
  await press("Stop now");
  expect(screen.getByRole("button", { name: "Stopping…" })).toHaveAttribute("aria-busy", "true");
  answer();
  expect(await screen.findByRole("button", { name: "Stop now" })).toBeVisible();
});

test("auto that counts as observe here can be stopped all the same", async () => {
  const { session } = open({ ...OBSERVE, autoElsewhere: true });
  await press("Stop auto");
  expect(session.asked).toEqual([["stop"]]);
});

test("no more time is left than was agreed to, though the server's clock is ahead by a moment", () => {
  open(auto({ ttlMs: 1_800_000, endsAt: NOW + 1_800_400 }));
  expect(screen.getByText("30:00")).toBeVisible();
});

test("terms that can't be read are not agreed to", () => {
  const { budget: _, ...mode } = auto();
  open(mode);
  expect(screen.queryByRole("button", { name: "Accept as well" })).toBeNull();
});
