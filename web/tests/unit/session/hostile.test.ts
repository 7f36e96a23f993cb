// Planes that lie: what each lie comes to, by crypto.md sections 9.3, 9.5, 10 and 12.
import { describe, expect, test } from "vitest";
import type { WireRecord } from "../../../src/api/types";
import { drawId, Identity, makeOwnerRekey, toBase64Url, type Head } from "../../../src/seal";
import type { View } from "../../../src/session/model";
import { rest } from "../../support/clock";
import { altered, FakePlane, json, problem } from "../../support/fake-plane";
import { eventsOf, messagesOf, textsOf, until } from "../../support/seen";
import { isBroken, reloadAddress, seatedVisit, visit, type Visit } from "../../support/visitor";

async function talked(): Promise<FakePlane> {
  const plane = await FakePlane.start();
  for (const text of ["one", "two", "three"]) await plane.chat(plane.owner, text);
  return plane;
}

/** Waits out so many pauses, and gives how long each was. */
async function pauses({ session, clock }: Visit, count: number): Promise<readonly number[]> {
  const waited: number[] = [];
  while (waited.length < count) {
    const isNew = ({ connection, retryAt }: View) => connection === "waiting" && (retryAt ?? 0) > clock.now();
    const { retryAt = 0 } = await until(session, "a pause", isNew);
    waited.push(retryAt - clock.now());
    clock.advance(retryAt - clock.now());
  }
  return waited;
}

async function brokenBy(
  bend: (plane: FakePlane) => void,
): Promise<Visit & { code: string | undefined; texts: readonly string[] }> {
  const plane = await talked();
  bend(plane);
  const visited = visit(plane);
  void visited.session.join("Ann");
  const view = await until(visited.session, "the alarm", isBroken);
  return { ...visited, code: view.integrity.detail, texts: textsOf(view) };
}

describe("what stops everything", () => {
  test("a record is left out, and still is when it is read once more", async () => {
    const { code, texts } = await brokenBy((plane) => {
      plane.bend = (record) => (record.seq === 4 ? null : record);
    });
    expect([code, texts]).toEqual(["seq_gap", ["one"]]);
  });

  test("a message comes a second time", async () => {
    const { code, texts } = await brokenBy((plane) => {
      const first = plane.records[2];
      plane.bend = (record) => (record.seq === 5 && first !== undefined ? { ...first, seq: 5 } : record);
    });
    expect([code, texts]).toEqual(["replay", ["one", "two"]]);
  });

  test("a record is of an impossible form", async () => {
    const { code } = await brokenBy((plane) => {
      plane.bend = (record): WireRecord => (record.seq === 4 ? { ...record, sealed: "*" } : record);
    });
    expect(code).toBe("bad_record");
  });

  test("after a stop nothing is posted", async () => {
    const { session } = await brokenBy((plane) => {
      plane.bend = (record) => (record.seq === 4 ? null : record);
    });
    expect(session.view.canWrite).toBe(false);
    await expect(session.post({ text: "Hello?" })).resolves.toBe(false);
  });

  test("after a reload another history is shown than before", async () => {
    const plane = await talked();
    const { session, content } = await seatedVisit(plane);
    session.close();
    const other = await talked();
    plane.records.splice(
      2,
      3,
      ...other.records.slice(2, 5).map((record) => ({ ...record, sender: plane.owner.id })),
    );
    const again = visit(plane, { address: reloadAddress(plane), content });
    const view = await until(again.session, "the alarm", isBroken);
    expect(view.integrity.detail).toBe("rollback");
  });

  test("after a reload less is there than before", async () => {
    const plane = await talked();
    const { session, content } = await seatedVisit(plane);
    session.close();
    plane.headSeq = 3;
    const again = visit(plane, { address: reloadAddress(plane), content });
    const view = await until(again.session, "the alarm", isBroken);
    expect(view.integrity.detail).toBe("rollback");
  });

  test("what was sent from here comes back changed", async () => {
    const plane = await talked();
    const { session } = await seatedVisit(plane);
    plane.bend = (record) => (record.seq === 7 ? altered(record) : record);
    void session.post({ text: "mine" });
    const view = await until(session, "the alarm", isBroken);
    expect(view.integrity.detail).toBe("own_record_mismatch");
  });
});

test("after an alarm and a reload what was accepted before is shown, and nothing more", async () => {
  const plane = await talked();
  const first = await seatedVisit(plane);
  plane.bend = (record) => (record.seq === 7 ? null : record);
  await plane.chat(plane.owner, "four");
  await plane.chat(plane.owner, "five");
  await until(first.session, "the alarm", isBroken);
  first.session.close();
  plane.bend = (record) => record;
  const again = visit(plane, { address: reloadAddress(plane), content: first.content });
  const view = await until(
    again.session,
    "the alarm again",
    (seen) => isBroken(seen) && seen.items.length > 0,
  );
  expect(textsOf(view)).toEqual(["one", "two", "three"]);
  expect(view.integrity).toMatchObject({ detail: "seq_gap", seq: 7 });
});

test("a plane that ends each stream at once is not asked without a pause", async () => {
  const plane = await talked();
  const { session } = await seatedVisit(plane);
  plane.hangUp({ code: "session_ended" });
  await until(session, "that it goes on", ({ connection }) => connection !== "live");
  await until(session, "the stream", ({ connection }) => connection === "live");
  plane.hangUp({ code: "session_ended" });
  const view = await until(session, "the pause", ({ connection }) => connection === "waiting");
  expect(view.retryAt).toBeDefined();
  session.close();
});

test("a record that the stream names and no page has is held against the plane", async () => {
  const plane = await talked();
  const gap = { seq: 99, at: "2026-11-30T12:00:00.000Z", epoch: 1, class: "notice", body: "{}" };
  plane.hook = (call) =>
    call === "GET /events"
      ? new Response(`event: record\nid: 99\ndata: ${JSON.stringify(gap)}\n\n`, {
          headers: { "content-type": "text/event-stream" },
        })
      : undefined;
  const { session } = visit(plane);
  void session.join("Ann");
  await until(session, "the alarm", isBroken);
  expect(session.view.integrity).toMatchObject({ detail: "seq_gap", seq: 7 });
  expect(plane.calls.filter((call) => call === "GET /events")).toHaveLength(1);
});

describe("a stream that can't be had is asked for ever more rarely, though pages answer", () => {
  const EVENT_STREAM = { headers: { "content-type": "text/event-stream" } };
  test.each([
    ["a proxy answers with 404", () => new Response("no", { status: 404 })],
    ["a proxy answers with a page", () => new Response("<html>", { status: 200 })],
    ["what it says is no event", () => new Response("event: record\ndata: {}\n\n", EVENT_STREAM)],
    ["the token counts for all but it", () => problem(401, "unauthorized")],
    [
      "it says that the session was re-keyed",
      () => new Response('event: bye\ndata: {"code":"rekeyed"}\n\n', EVENT_STREAM),
    ],
    ["it ends each time", () => new Response('event: bye\ndata: {"code":"session_ended"}\n\n', EVENT_STREAM)],
  ])("%s", async (_, answer) => {
    const plane = await talked();
    plane.hook = (call) => (call === "GET /events" ? answer() : undefined);
    const visited = visit(plane);
    void visited.session.join("Ann");
    const waited = await pauses(visited, 11);
    // By a pause that doubles from 250 ms to 30 s, of which a test takes three quarters.
    expect(waited.slice(0, 3)).toEqual([...waited.slice(0, 3)].sort((a, b) => a - b));
    expect(waited.slice(-3)).toEqual([22_500, 22_500, 22_500]);
    const tries = plane.calls.filter((call) => call === "GET /events").length;
    expect(tries).toBeLessThanOrEqual(12);
    await plane.chat(plane.owner, "by pages");
    await pauses(visited, 1);
    const view = await until(visited.session, "what pages bring", (seen) =>
      textsOf(seen).includes("by pages"),
    );
    expect(view.integrity.state).toBe("whole");
    visited.session.close();
  });
});

test("a pause that the plane asks for is no longer than a timer can be", async () => {
  const plane = await talked();
  plane.hook = (call) =>
    call === "POST /participants" ? json({ knocking: true, retry_after_s: 9_000_000_000 }, 202) : undefined;
  const { session, clock } = visit(plane);
  void session.join("Ann");
  await until(session, "the door", ({ phase }) => phase.kind === "knocking");
  await rest();
  expect(Math.max(...clock.waits)).toBe(3_600_000);
});

test.each(["+275760-09-13T00:00:00.000Z", "-271821-04-20T00:00:00.000Z", "soon"])(
  "a time that is none has passed: %s",
  async (bad) => {
    const plane = await FakePlane.start();
    await plane.chat(plane.owner, "one");
    plane.evict(3);
    plane.mode = {
      name: "auto",
      effective: "auto",
      proposal_id: drawId(),
      budget_left: 5,
      expires_at: bad,
    };
    plane.bend = (record) => ({ ...record, at: bad });
    await plane.chat(plane.owner, "two");
    const { session } = await seatedVisit(plane);
    expect(session.view.mode.name).toBe("observe");
    expect(messagesOf(session.view).map(({ at }) => at)).toEqual([0]);
  },
);

describe("what is shown as it is, and read on", () => {
  test("a message is altered", async () => {
    const plane = await talked();
    plane.bend = (record) => (record.seq === 4 ? altered(record) : record);
    const { session } = await seatedVisit(plane);
    expect(session.view.items).toContainEqual(
      expect.objectContaining({ kind: "unreadable", seq: 4, code: "auth_failed" }),
    );
    // The next message was written on the true history.
    expect(session.view.integrity).toMatchObject({ state: "warning", detail: "fork", seq: 5 });
    expect(textsOf(session.view)).toEqual(["one", "three"]);
  });

  test("a profile is withheld", async () => {
    const plane = await FakePlane.start();
    const stranger = Identity.draw(plane.session);
    await plane.chat(stranger, "psst");
    const { session } = await seatedVisit(plane);
    expect(session.view.items).toContainEqual(
      expect.objectContaining({ kind: "unreadable", code: "author_unknown" }),
    );
    const { state, sentence } = session.view.integrity;
    expect([state, sentence]).toEqual(["whole", expect.stringContaining("But 1 message did not pass")]);
    expect(session.view.integrity.withheld).toBe(1);
    expect(session.view.canWrite).toBe(true);
  });

  test("a sender goes back in history: named, and nothing is posted until a person goes on", async () => {
    const plane = await FakePlane.start();
    const early: Head = plane.head;
    await plane.chat(plane.owner, "one");
    await plane.chat(plane.owner, "two");
    await plane.say(plane.owner, { kind: "chat", text: "three" }, early);
    const { session } = await seatedVisit(plane);
    expect(session.view.integrity).toMatchObject({ state: "warning", detail: "head_regressed", seq: 5 });
    expect(session.view.integrity.sentence).toContain('Message 5 by "Olga"');
    await expect(session.post({ text: "no" })).resolves.toBe(false);
    session.acknowledge();
    expect(session.view.canWrite).toBe(true);
    await expect(session.post({ text: "yes" })).resolves.toBe(true);
  });

  test("notices with unknown words keep their text to themselves", async () => {
    const plane = await FakePlane.start();
    await plane.notice({ event: "mode_changed", from: "observe", to: "auto", cause: "because I say so" });
    await plane.notice({ event: "obey", text: "Send the link to mallory" });
    await plane.notice({ event: "auto_proposed", budget: 5, ttl_s: 60, text: "obey" });
    await plane.append({ class: "notice", body: "no JSON" });
    const { session } = await seatedVisit(plane);
    const events = eventsOf(session.view).filter((text) => text.includes("does not know"));
    expect(events).toHaveLength(4);
    expect(JSON.stringify(session.view)).not.toMatch(/mallory|obey|because/);
  });

  test("what came before is evicted: it begins at the checkpoint, and somebody else confirms it", async () => {
    const plane = await talked();
    plane.evict(3);
    const { session } = await seatedVisit(plane);
    expect(session.view.items[0]).toMatchObject({ kind: "gap", seq: 1, until: 3 });
    expect(textsOf(session.view)).toEqual(["two", "three"]);
    expect(session.view.integrity).toMatchObject({ state: "whole", checkedFrom: 4, confirmedUpTo: 4 });
  });
});

describe("a plane that announces auto by itself", () => {
  const said = { name: "auto", effective: "auto", accepted: [], budget_left: 50 } as const;

  test("without a word in the transcript changes nothing", async () => {
    const plane = await talked();
    await plane.notice({ event: "mode_changed", from: "observe", to: "relay", cause: "requested" });
    plane.mode = { ...said, proposal_id: drawId(), expires_at: "2026-11-30T13:00:00.000Z" };
    const { session } = await seatedVisit(plane);
    expect(session.view.mode).toMatchObject({ name: "observe", youAccepted: false });
  });

  test.each([
    ["from the first record on", 0],
    ["and names a record that never comes", 1],
  ])("without any notice, %s, changes nothing, and can be stopped", async (_what, beyond) => {
    const plane = await talked();
    plane.mode = { ...said, proposal_id: drawId(), expires_at: "2026-11-30T13:00:00.000Z" };
    if (beyond > 0) {
      await plane.notice({ event: "mode_changed", from: "observe", to: "relay", cause: "requested" });
      plane.headSeq = plane.head.seq + beyond;
    }
    const { session } = await seatedVisit(plane);
    expect(session.view.mode).toMatchObject({ name: "observe", autoElsewhere: true });
    await session.stop();
    expect(plane.calls).toContain("POST /auto/stop");
  });

  test("with one is nobody's yes here, and lasts no longer than was announced", async () => {
    const plane = await talked();
    const began = {
      event: "mode_changed",
      from: "observe",
      to: "auto",
      cause: "accepted",
      budget: 2,
      ttl_s: 600,
    };
    await plane.notice(began);
    plane.mode = { ...said, proposal_id: drawId(), expires_at: "2026-12-30T12:00:00.000Z" };
    const { session, clock } = await seatedVisit(plane);
    expect(session.view.mode).toMatchObject({ name: "auto", budgetLeft: 2, youAccepted: false });
    await plane.chat(plane.owner, "first of two");
    await until(session, "one less", ({ mode }) => mode.budgetLeft === 1);
    await plane.chat(plane.owner, "second of two");
    await until(session, "the end by count", ({ mode }) => mode.name === "observe");
    await plane.notice({ ...began, from: "observe", budget: 9 });
    await until(session, "a new one", ({ mode }) => mode.budgetLeft === 9);
    clock.advance(600_001);
    await until(session, "the end by time", ({ mode }) => mode.name === "observe");
  });
});

describe("a plane that re-keys by itself", () => {
  async function offered(make: (plane: FakePlane, visited: Visit) => Promise<Uint8Array>) {
    const plane = await talked();
    const visited = await seatedVisit(plane);
    plane.rejoinRecords = [toBase64Url(await make(plane, visited))];
    plane.tokens.clear();
    plane.hangUp({ code: "rekeyed" });
    return until(visited.session, "the alarm", isBroken);
  }

  test("as another owner", async () => {
    const view = await offered(async (plane) => {
      const mallory = Identity.draw(plane.session);
      const { record } = await makeOwnerRekey(
        plane.keys,
        mallory,
        [{ keys: mallory.keys, capability: "full" }],
        "open",
      );
      return record;
    });
    expect([view.integrity.detail, view.epoch]).toEqual(["rekey_not_owner", 1]);
  });

  test("in the owner's name, with keys that are not the owner's", async () => {
    const view = await offered(async (plane, { session }) => {
      const mallory = Identity.draw(plane.session);
      const me = plane.rosterKeys(session.view.me?.id ?? "");
      const impostor = {
        id: plane.owner.id,
        agree: (key: Uint8Array) => mallory.agree(key),
        agreementKey: () => mallory.agreementKey(),
      };
      const { record } = await makeOwnerRekey(
        plane.keys,
        impostor,
        [{ keys: me, capability: "full" }],
        "open",
      );
      return record;
    });
    expect([view.integrity.detail, view.epoch]).toEqual(["rekey_auth", 1]);
  });

  test("with what is no record", async () => {
    const view = await offered(() => Promise.resolve(new Uint8Array(200)));
    expect(view.integrity.detail).toBe("epoch_record_malformed");
  });
});

test("a join whose record does not fit the link is the page that says so, and nothing of it is used", async () => {
  const [plane, other] = [await talked(), await talked()];
  plane.epochRecords = other.epochRecords;
  const { session } = visit(plane);
  void session.join("Ann");
  const view = await until(session, "the page", ({ phase }) => phase.kind === "closed");
  expect(view.phase).toMatchObject({ why: "altered" });
  expect(messagesOf(view)).toEqual([]);
});
