// Writing: once, in order, with the same bytes until they are answered, and nothing lost.
import { describe, expect, test } from "vitest";
import { FakePlane, problem, json } from "../../support/fake-plane";
import { rest } from "../../support/clock";
import { messagesOf, textsOf, until } from "../../support/seen";
import { reloadAddress, seatedVisit, visit } from "../../support/visitor";
import type { View } from "../../../src/session/model";

const isStored = (count: number) => (view: View) =>
  messagesOf(view).filter(({ seq, author }) => seq > 0 && author.you).length === count;

async function later(clock: { advance: (ms: number) => void }, rounds = 4): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await rest();
    clock.advance(1_000);
  }
  await rest();
}

test("a lost answer: the same bytes under the same id, stored once", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  let lost = 0;
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
  const posted = session.post({ text: "once" });
  await later(clock);
  await expect(posted).resolves.toBe(true);
  const view = await until(session, "it", isStored(1));
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
