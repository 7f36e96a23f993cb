// While the connection is lost: nothing of before is shown as of now, and what is tried again counts down.
import { render, screen } from "@testing-library/svelte";
import { tick } from "svelte";
import { expect, test } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import type { View } from "../../src/session/model";
import { BOT, Double, ME, message, NOW, person } from "./support/double";

let session: Double;

async function open(more: Partial<View> = {}) {
  let now = NOW;
  const clock = new Clock(() => now);
  session = new Double(more);
  render(App, { session, clock });
  await tick();
  return async (ms: number) => {
    now += ms;
    clock.tick();
    await tick();
  };
}

const facts = () => [...document.querySelectorAll("#side li p")].map((one) => one.textContent.trim());

test.each(["waiting", "connecting", "stopped"] as const)(
  "nobody is seen now or listens: %s",
  async (lost) => {
    const me = { ...ME, listening: true, lastSeen: NOW };
    const people = [me, { ...BOT, readUpTo: 9 }, person("Kenji", { lastSeen: NOW - 20_000 })];
    await open({ items: [message(9, "x")], people });
    expect(facts().join("|")).toMatch(/^listening\|listening.*\|seen now$/);
    session.show({ connection: lost });
    await tick();
    expect(facts().join("|")).toMatch(/^\|was listening.*\|seen at \d+:\d\d/);
    session.show({ connection: "live" });
    await tick();
    expect(facts().join("|")).toMatch(/^listening\|listening.*\|seen now$/);
  },
);

test("a next try within a minute is counted down to, and a later one has its time", async () => {
  const late = { why: "The server did not answer in time.", until: NOW + 90_000, isUnstored: false };
  const pass = await open({ items: [message(-1, "x", { author: ME, pending: "sending", delay: late })] });
  expect(screen.getByText(/The next try is at \d+:\d\d/)).toBeVisible();
  await pass(78_000);
  expect(screen.getByText(/The next try is in 0:12\./)).toBeVisible();
  await pass(1_000);
  expect(screen.getByText(/The next try is in 0:11\./)).toBeVisible();
  await pass(11_000);
  expect(screen.getByText(/It is tried again now\./)).toBeVisible();
});

test("what came in the server's place is said, until a try went well", async () => {
  const lost = "Something else than the server answered in its place (status 502).";
  await open({ connection: "waiting", lost });
  expect(screen.getByText(lost)).toBeVisible();
  const { lost: _, ...well } = session.view;
  session.replace({ ...well, connection: "live" });
  await tick();
  expect(screen.queryByText(lost)).toBeNull();
});

test("where there is no seat yet, it stands in place of a server that does not answer", async () => {
  const lost = "Something else than the server answered in its place (status 502).";
  await open({ phase: { kind: "closed", why: "unreachable" }, lost, retryAt: NOW + 5_000 });
  expect(await screen.findByText(lost)).toBeVisible();
  expect(document.body).not.toHaveTextContent(/can't be reached|does not answer/);
  expect(screen.getByText("0:05")).toBeVisible();
});
