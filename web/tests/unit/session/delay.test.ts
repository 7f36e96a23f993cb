// A message that takes long: why, until when, and what may be done; a plane that confirms one and withholds it; a network that
// comes back.
import { describe, expect, test } from "vitest";
import { FakePlane, problem } from "../../support/fake-plane";
import { rest } from "../../support/clock";
import { messagesOf, until } from "../../support/seen";
import { isBroken, seatedVisit } from "../../support/visitor";
import type { View } from "../../../src/session/model";

const TOO_OFTEN = () => problem(429, "rate_limited", { retry_after_s: 86_400 });
const isPost = (call: string) => call === "POST /records";

function delays(view: View) {
  return messagesOf(view).flatMap(({ delay }) => delay ?? []);
}

async function limited() {
  const plane = await FakePlane.start();
  const visited = await seatedVisit(plane);
  plane.hook = (call) => (isPost(call) ? TOO_OFTEN() : undefined);
  const first = visited.session.post({ text: "first" });
  const second = visited.session.post({ text: "second" });
  const view = await until(visited.session, "why", (seen) => delays(seen).length === 2);
  return { plane, ...visited, first, second, view };
}

describe("a message that the plane takes only much later", () => {
  test("says so, and so does the one behind it", async () => {
    const { view, clock } = await limited();
    const at = clock.now() + 3_600_000;
    expect(delays(view)).toEqual([
      { why: "The server takes no messages from here for now.", until: at, isUnstored: true },
      { why: "It waits for the message before it.", until: at, isUnstored: true },
    ]);
  });

  test("goes out when a person says so", async () => {
    const { plane, session, first, second } = await limited();
    plane.hook = () => undefined;
    session.tryNow();
    await expect(Promise.all([first, second])).resolves.toEqual([true, true]);
  });

  test("can be taken back, with its text, and is not sent", async () => {
    const { plane, session, first, second, view } = await limited();
    plane.hook = () => undefined;
    session.takeBack(messagesOf(view).find(({ text }) => text === "first")?.seq ?? 0);
    await expect(first).resolves.toBe(false);
    expect(messagesOf(session.view)).toContainEqual(
      expect.objectContaining({
        text: "first",
        pending: "failed",
        refusal: expect.stringMatching(/^You took it/),
      }),
    );
    session.tryNow();
    await expect(second).resolves.toBe(true);
    expect(plane.records.filter((record) => record.class === "message")).toHaveLength(1);
  });
});

test("one that may have been stored can't be taken back, and says what it waits for", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  let isLost = false;
  plane.hook = (call) => {
    if (!isPost(call)) return undefined;
    if (isLost) return TOO_OFTEN();
    isLost = true;
    return Promise.reject(new TypeError("broken"));
  };
  void session.post({ text: "where are you" });
  await rest();
  clock.advance(250);
  const view = await until(session, "why", (seen) => delays(seen).length === 1);
  expect(delays(view)).toMatchObject([{ isUnstored: false }]);
  session.takeBack(messagesOf(view).at(-1)?.seq ?? 0);
  await rest();
  expect(messagesOf(session.view).at(-1)).toMatchObject({ pending: "sending" });
});

test("one without any answer says so after ten seconds, and not before", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  plane.hook = (call) => (isPost(call) ? new Promise<Response>(() => undefined) : undefined);
  void session.post({ text: "hello?" });
  await rest();
  clock.advance(9_999);
  await rest();
  expect(delays(session.view)).toEqual([]);
  clock.advance(1);
  const view = await until(session, "why", (seen) => delays(seen).length === 1);
  expect(delays(view)).toEqual([{ why: "The server has not answered yet.", isUnstored: false }]);
});

test("a plane that confirms a message and never shows it is found out by one more read", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  const before = plane.head.seq;
  plane.bend = (record) => (record.seq > before ? null : record);
  plane.headSeq = before;
  await expect(session.post({ text: "one" })).resolves.toBe(true);
  const second = session.post({ text: "two" });
  await rest();
  expect(session.view.integrity.state).toBe("whole");
  clock.advance(30_000);
  const view = await until(session, "the alarm", isBroken);
  // crypto.md section 9.2: the record at that seq must be what was sent.
  expect(view.integrity.detail).toBe("own_record_mismatch");
  await expect(second).resolves.toBe(false);
  await until(session, "both", (seen) => messagesOf(seen).every(({ pending }) => pending === "failed"));
  expect(messagesOf(session.view).map(({ text }) => text)).toEqual(["one", "two"]);
  // The one was sent, and the other was not.
  expect(messagesOf(session.view).map(({ isConfirmed = false }) => isConfirmed)).toEqual([true, false]);
  expect(messagesOf(session.view)[0]?.refusal).toMatch(/^The server confirmed this message/);
});

test("one that is only late comes with that read", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  const before = plane.head.seq;
  plane.bend = (record) => (record.seq > before ? null : record);
  await session.post({ text: "late" });
  plane.bend = (record) => record;
  await rest();
  expect(messagesOf(session.view)).toMatchObject([{ pending: "sending" }]);
  clock.advance(30_000);
  const view = await until(session, "it", (seen) => messagesOf(seen).every(({ seq }) => seq > 0));
  expect(view.integrity.state).toBe("whole");
});

test.each(["a person", "the network"])("a lost connection is tried at once when %s says so", async (who) => {
  const plane = await FakePlane.start();
  const { session, comeBack } = await seatedVisit(plane);
  plane.hook = (call) => (call.startsWith("GET") ? TOO_OFTEN() : undefined);
  plane.hangUp();
  await until(session, "that it waits", ({ connection }) => connection === "waiting");
  await rest();
  plane.hook = () => undefined;
  if (who === "a person") session.tryNow();
  else comeBack();
  await until(session, "it live", ({ connection }) => connection === "live");
});

test("a stop that fails says what may go on", async () => {
  const plane = await FakePlane.start();
  const { session } = await seatedVisit(plane);
  plane.hook = (call) => (call === "POST /auto/stop" ? problem(403, "forbidden") : undefined);
  await session.stop();
  expect(session.view.trouble).toMatch(/Auto may still be on: try to stop it again/);
});

test("a plane whose fresh tokens count for nothing is asked ever more rarely", async () => {
  const plane = await FakePlane.start();
  const { clock } = await seatedVisit(plane);
  plane.calls.length = 0;
  plane.hook = (call) => (call.startsWith("GET") ? problem(401, "unauthorized") : undefined);
  plane.hangUp();
  for (let round = 0; round < 600; round++) {
    await rest(8);
    clock.advance(100);
  }
  // A minute, in pauses that double up to half of one. Three for each of its tries would be twice as many.
  const asked = plane.calls.filter((call) => call === "POST /rejoin").length;
  expect(asked).toBeGreaterThan(5);
  expect(asked).toBeLessThanOrEqual(14);
});
