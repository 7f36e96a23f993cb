// Writing: once, in order, with the same bytes until they are answered, and nothing lost.
import { describe, expect, test } from "vitest";
import { FakePlane, problem, json } from "../../support/fake-plane";
import { passing, rest } from "../../support/clock";
import { messagesOf, textsOf, until } from "../../support/seen";
import { reloadAddress, seatedVisit, visit } from "../../support/visitor";
import type { View } from "../../../src/session/model";

const isStored = (count: number) => (view: View) =>
  messagesOf(view).filter(({ seq, author }) => seq > 0 && author.you).length === count;

test("a lost answer: the same bytes under the same id, stored once", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  let lost = 0;
  // The record itself would settle it as well: it comes once the answer to the second try has.
  plane.bend = (record) => (record.class === "message" && plane.posts.length < 2 ? null : record);
  const honest = plane.fetch;
  plane.hook = (call, body) => {
    if (call !== "POST /records" || body === null || ++lost > 1) return undefined;
    plane.hook = () => undefined;
    const stored = honest(`https://plane.example/v1/sessions/${plane.session}/records`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { authorization: "Bearer dps_0" },
    });
    return stored.then(() => Promise.reject(new TypeError("broken")));
  };
  expect(await passing(clock, session.post({ text: "once" }))).toBe(true);
  plane.hangUp();
  const view = await passing(clock, until(session, "it", isStored(1)));
  expect(textsOf(view)).toEqual(["once"]);
  expect(plane.posts).toHaveLength(2);
  expect(plane.posts[0]).toEqual(plane.posts[1]);
});

test("several at once are stored in the order they were written", async () => {
  const plane = await FakePlane.start();
  const { session } = await seatedVisit(plane);
  const texts = ["a", "b", "c", "d"];
  const answers = await Promise.all(texts.map((text) => session.post({ text })));
  expect(answers).toEqual([true, true, true, true]);
  expect(textsOf(await until(session, "all", isStored(4)))).toEqual(texts);
});

test("what is too often waits as long as the plane asks", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  plane.hook = (call) =>
    call === "POST /records" ? problem(429, "rate_limited", { retry_after_s: 30 }) : undefined;
  const posted = session.post({ text: "patience" });
  await rest();
  expect(clock.waits).toContain(30_000);
  expect(messagesOf(session.view).at(-1)).toMatchObject({ pending: "sending" });
  plane.hook = () => undefined;
  clock.advance(30_000);
  await expect(posted).resolves.toBe(true);
});

describe("a refused one", () => {
  async function refused() {
    const plane = await FakePlane.start();
    const visited = await seatedVisit(plane);
    plane.hook = (call) => (call === "POST /records" ? problem(413, "too_large") : undefined);
    await expect(visited.session.post({ text: "keep me", topic: "t" })).resolves.toBe(false);
    const view = await until(visited.session, "the refusal", ({ items }) =>
      items.some((item) => item.seq < 0),
    );
    const item = messagesOf(view).at(-1);
    plane.hook = () => undefined;
    return { plane, ...visited, item };
  }

  test("stays with its text and the reason, and does not hold up the next", async () => {
    const { session, item } = await refused();
    expect(item).toMatchObject({ text: "keep me", topic: "t", pending: "failed" });
    expect(item?.refusal).toMatch(/^This is larger/);
    await expect(session.post({ text: "next" })).resolves.toBe(true);
    const view = await until(session, "the next", isStored(1));
    expect(textsOf(view)).toEqual(["next", "keep me"]);
  });

  test("can be tried again, and is then one message", async () => {
    const { session, item, plane } = await refused();
    await session.retry(item?.seq ?? 0);
    const view = await until(session, "it", isStored(1));
    expect(textsOf(view)).toEqual(["keep me"]);
    expect(plane.records.filter((record) => record.class === "message")).toHaveLength(1);
  });

  test("is not said to be taken by nobody, however it is shown", async () => {
    const { plane, session } = await refused();
    plane.hook = (call) => (call === "POST /records" ? problem(403, "forbidden") : undefined);
    await expect(session.post({ text: "I \u2764\uFE0F this" })).resolves.toBe(false);
    expect(messagesOf(session.view).at(-1)).toMatchObject({ text: "I \u2764 this", pending: "failed" });
  });

  test("can be forgotten", async () => {
    const { session, item } = await refused();
    session.discard(item?.seq ?? 0);
    expect(
      textsOf(await until(session, "nothing", ({ items }) => items.every(({ seq }) => seq > 0))),
    ).toEqual([]);
  });

  test("is still there after a reload", async () => {
    const { session, content, plane } = await refused();
    session.close();
    const again = visit(plane, { address: reloadAddress(plane), content });
    const view = await until(again.session, "the seat", ({ connection }) => connection === "live");
    expect(messagesOf(view).at(-1)).toMatchObject({ text: "keep me", pending: "failed" });
  });
});

test("one that was under way at a reload goes out again with the same bytes", async () => {
  const plane = await FakePlane.start();
  const { session, content } = await seatedVisit(plane);
  let first: unknown = null;
  plane.hook = (call, body) => {
    if (call !== "POST /records") return undefined;
    first = body;
    return new Promise<Response>(() => undefined);
  };
  void session.post({ text: "twice sent" });
  await rest();
  expect(first).not.toBeNull();
  session.close();
  plane.hook = () => undefined;
  const again = visit(plane, { address: reloadAddress(plane), content });
  await until(again.session, "it", isStored(1));
  expect(plane.posts).toEqual([first]);
});

test("after an epoch that moved it is sealed anew under its id", async () => {
  const plane = await FakePlane.start();
  const { session } = await seatedVisit(plane);
  let refusedOnce: string | null = null;
  plane.hook = (call, body) => {
    if (call !== "POST /records" || refusedOnce !== null) return undefined;
    refusedOnce = String(body?.["message_id"]);
    return problem(409, "epoch_moved", { epoch: 1 });
  };
  await expect(session.post({ text: "moved" })).resolves.toBe(true);
  expect(plane.posts.map((post) => post["message_id"])).toEqual([refusedOnce]);
});

test("an answer with a seq that is taken is held against the plane", async () => {
  const plane = await FakePlane.start();
  await plane.chat(plane.owner, "first");
  const { session } = await seatedVisit(plane);
  plane.hook = (call) =>
    call === "POST /records"
      ? json({ seq: 3, at: "2026-11-30T12:00:00Z", state: plane.state() }, 201)
      : undefined;
  void session.post({ text: "where?" });
  const view = await until(session, "the alarm", ({ integrity }) => integrity.state === "broken");
  expect(view.integrity.detail).toBe("own_record_mismatch");
});

describe("a plane that says without end that the epoch moved", () => {
  async function moved() {
    const plane = await FakePlane.start();
    const visited = await seatedVisit(plane);
    let asked = 0;
    plane.hook = (call) => {
      if (call !== "POST /records") return undefined;
      asked++;
      return problem(409, "epoch_moved", { epoch: 2 });
    };
    const posted = visited.session.post({ text: "keep me" });
    const pauses: number[] = [];
    let isOver = false;
    void posted.then(() => (isOver = true));
    for (let round = 0; round < 100 && !isOver; round++) {
      await rest(5);
      const [next] = visited.clock.waits.filter((wait) => wait < 5_000);
      if (next === undefined) continue;
      pauses.push(next);
      visited.clock.advance(next);
    }
    return { plane, ...visited, posted, pauses, asked: () => asked };
  }

  test("is asked a few times, ever more rarely, and the text stays", async () => {
    const { session, posted, asked, pauses } = await moved();
    await expect(posted).resolves.toBe(false);
    expect(asked()).toBe(5);
    expect(pauses).toEqual([188, 375, 750]);
    const view = await until(session, "the refusal", (seen) =>
      messagesOf(seen).some(({ pending }) => pending === "failed"),
    );
    const item = messagesOf(view).at(-1);
    expect(item?.text).toBe("keep me");
    expect(item?.refusal).toMatch(/shows no re-key/);
  });

  test("and later takes it, has it once", async () => {
    const { session, plane } = await moved();
    const view = await until(session, "the refusal", (seen) =>
      messagesOf(seen).some(({ pending }) => pending === "failed"),
    );
    plane.hook = () => undefined;
    await session.retry(messagesOf(view).at(-1)?.seq ?? 0);
    expect(textsOf(await until(session, "it", isStored(1)))).toEqual(["keep me"]);
    expect(plane.records.filter((record) => record.class === "message")).toHaveLength(1);
  });
});

describe("a try that was stored, and what comes in the place of its answer,", () => {
  test.each([
    ["a proxy that wants a login", () => new Response("login", { status: 403 })],
    ["a proxy that knows no such route", () => new Response("no", { status: 404 })],
    ["a token that is over, again and again", () => problem(401, "unauthorized")],
  ])("%s, does not double it", async (_, answer) => {
    const plane = await FakePlane.start();
    const { session, clock } = await seatedVisit(plane);
    // The stream is silent, so that the answer alone could tell.
    plane.bend = () => null;
    const honest = plane.fetch;
    let tries = 0;
    plane.hook = (call, body) => {
      if (call !== "POST /records" || ++tries > 6) return undefined;
      if (tries > 1) return answer();
      const token = [...plane.tokens].at(-1) ?? "";
      plane.hook = () => undefined;
      const stored = honest(`https://plane.example/v1/sessions/${plane.session}/records`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${token}` },
      });
      plane.hook = hook;
      return stored.then(() => Promise.reject(new TypeError("broken")));
    };
    const { hook } = plane;
    expect(await passing(clock, session.post({ text: "once" }))).toBe(true);
    expect(plane.records.filter((record) => record.class === "message")).toHaveLength(1);
    expect(messagesOf(session.view).filter(({ pending }) => pending === "failed")).toEqual([]);
    session.close();
  });
});

test("while an alarm stands nothing goes out again, and it is kept", async () => {
  const plane = await FakePlane.start();
  const { session, content } = await seatedVisit(plane);
  plane.hook = (call) => (call === "POST /records" ? new Promise<Response>(() => undefined) : undefined);
  void session.post({ text: "under way" });
  await until(session, "that it is sent", () => plane.calls.includes("POST /records"));
  plane.bend = (record) => (record.seq === 4 ? null : record);
  await plane.chat(plane.owner, "left out");
  await plane.chat(plane.owner, "after it");
  await until(session, "the alarm", ({ integrity }) => integrity.state === "broken");
  session.close();
  plane.hook = () => undefined;
  const again = visit(plane, { address: reloadAddress(plane), content });
  await until(
    again.session,
    "the rest",
    ({ connection, items }) => connection === "stopped" && items.length > 1,
  );
  await rest();
  expect(plane.posts).toEqual([]);
  expect(messagesOf(again.session.view).at(-1)).toMatchObject({ text: "under way", pending: "sending" });
  await expect(again.session.post({ text: "more" })).resolves.toBe(false);
});

test("a goal that can't be sealed says nothing of the plane", async () => {
  const plane = await FakePlane.start();
  const { session } = await seatedVisit(plane);
  await expect(session.propose("\ud800", 5, 60_000)).resolves.toBe(false);
  expect(session.view.trouble).toBeDefined();
  expect(session.view.integrity.state).toBe("whole");
  await expect(session.propose("x".repeat(5_000), 5, 60_000)).resolves.toBe(false);
  expect(session.view.trouble).toMatch(/^This is larger/);
  expect(session.view.integrity.state).toBe("whole");
});

const LINK_TOKEN = `dp1f${"a2".repeat(32)}`;

test.each([
  ["a link", `Come to https://plane.example/s/2f6b1c1e8f0e4d439a3e0c3a4f5e6d7c#${LINK_TOKEN}`],
  ["a link, cut and spelled otherwise", `https%3A%2F%2Fplane.example%2Fs%2Fx%23${LINK_TOKEN.slice(0, 30)}`],
  ["a token of a machine", `dpm_${"A".repeat(43)}`],
])("%s is not sent, and its text is not lost", async (_, text) => {
  const plane = await FakePlane.start();
  const { session } = await seatedVisit(plane);
  await expect(session.post({ text })).resolves.toBe(false);
  const view = await until(session, "the refusal", (seen) =>
    messagesOf(seen).some(({ pending }) => pending === "failed"),
  );
  expect(messagesOf(view).at(-1)).toMatchObject({
    pending: "failed",
    refusal: expect.stringContaining("link or a token"),
  });
  expect(plane.posts).toEqual([]);
  await expect(session.post({ text: "The dp1f of a link, and dpm_ alone." })).resolves.toBe(true);
});

test("nor does it stand in a name or a goal", async () => {
  const plane = await FakePlane.start();
  const atTheDoor = visit(plane).session;
  await atTheDoor.join(`Ann ${LINK_TOKEN}`);
  expect(atTheDoor.view).toMatchObject({
    phase: { kind: "door" },
    trouble: expect.stringContaining("link or a token"),
  });
  const { session } = await seatedVisit(plane);
  plane.calls.length = 0;
  await expect(session.propose(`Use dpm_${"A".repeat(43)}`, 5, 600_000)).resolves.toBe(false);
  expect(session.view.trouble).toContain("link or a token");
  expect(plane.calls.filter((call) => call.startsWith("POST"))).toEqual([]);
});

test("what is written where nobody sits is taken by nobody, and said to be so", async () => {
  const plane = await FakePlane.start();
  const { session } = visit(plane);
  await expect(session.post({ text: "too early" })).resolves.toBeNull();
});
