// Whether others may be in auto while it does not count as that here: only then there is something to stop.
import { expect, test } from "vitest";
import { drawId, type Head } from "../../../src/seal";
import type { Session } from "../../../src/session/model";
import { FakePlane } from "../../support/fake-plane";
import { until } from "../../support/seen";
import { isBroken, reloadAddress, seatedVisit, visit } from "../../support/visitor";

const BEGAN = {
  event: "mode_changed",
  from: "observe",
  to: "auto",
  cause: "accepted",
  budget: 5,
  ttl_s: 600,
} as const;

/** A sender goes back in history, which a person has to look at. */
async function warned(before: (plane: FakePlane) => Promise<unknown> = () => Promise.resolve()) {
  const plane = await FakePlane.start();
  const early: Head = plane.head;
  await before(plane);
  await plane.chat(plane.owner, "one");
  await plane.say(plane.owner, { kind: "chat", text: "two" }, early);
  const visited = await seatedVisit(plane);
  expect(visited.session.view.integrity.state).toBe("warning");
  return { plane, ...visited };
}

const claimed = () => ({
  name: "auto" as const,
  effective: "auto" as const,
  accepted: [],
  budget_left: 5,
  proposal_id: drawId<"proposal">(),
  expires_at: "2026-11-30T13:00:00.000Z",
});

const elsewhere = ({ view }: Session) => [view.mode.name, view.mode.autoElsewhere ?? false];

test("a warning alone is no auto", async () => {
  const { session } = await warned();
  expect(elsewhere(session)).toEqual(["observe", false]);
});

test("under a warning it is what the server says", async () => {
  const { session } = await warned((plane) => {
    plane.mode = claimed();
    return plane.notice(BEGAN);
  });
  expect(elsewhere(session)).toEqual(["observe", true]);
});

test("and what the transcript says, whatever the server does, until that is over", async () => {
  const { plane, session } = await warned((plane) => plane.notice(BEGAN));
  expect(elsewhere(session)).toEqual(["observe", true]);
  await plane.notice({ event: "mode_changed", from: "auto", to: "observe", cause: "stopped" });
  await until(session, "the end", ({ mode }) => mode.autoElsewhere === undefined);
});

test("so it is after a reload, before the server says anything", async () => {
  const { plane, session, content } = await warned();
  session.close();
  plane.hook = () => Promise.reject(new TypeError("broken"));
  const again = visit(plane, { address: reloadAddress(plane), content });
  await until(again.session, "the seat", ({ phase }) => phase.kind === "seated");
  expect(elsewhere(again.session)).toEqual(["observe", true]);
  expect(again.session.view.mode.autoUnheard).toBe(true);
});

test("where a check failed for good nothing is heard any more, and nothing is excluded", async () => {
  const plane = await FakePlane.start();
  await plane.chat(plane.owner, "one");
  const { session } = await seatedVisit(plane);
  expect(elsewhere(session)).toEqual(["observe", false]);
  plane.bend = (record) => (record.seq === 5 ? null : record);
  await plane.chat(plane.owner, "two");
  await plane.chat(plane.owner, "three");
  await until(session, "the alarm", isBroken);
  expect(elsewhere(session)).toEqual(["observe", true]);
  // Nothing said that they are.
  expect(session.view.mode.autoUnheard).toBe(true);
});

test("where it failed for good in auto, that is what was heard last", async () => {
  const plane = await FakePlane.start();
  plane.mode = claimed();
  await plane.notice(BEGAN);
  const { session } = await seatedVisit(plane);
  expect(session.view.mode.name).toBe("auto");
  plane.bend = (record) => (record.seq === 5 ? null : record);
  await plane.chat(plane.owner, "two");
  await plane.chat(plane.owner, "three");
  await until(session, "the alarm", isBroken);
  expect(elsewhere(session)).toEqual(["observe", true]);
  expect(session.view.mode.autoUnheard).toBeUndefined();
});
