// Where a visitor stands: the address, the seat of this tab, other tabs, a plane that can't be reached; and what is handed on.
import { describe, expect, test } from "vitest";
import { drawId, formatLink, Secret } from "../../../src/seal";
import type { View } from "../../../src/session/model";
import { noteText } from "../../../src/session/note";
import { FakePlane, json, ORIGIN, problem } from "../../support/fake-plane";
import { passing, rest } from "../../support/clock";
import { memoryStore } from "../../support/outside";
import { eventsOf, messagesOf, textsOf, until } from "../../support/seen";
import { reloadAddress, seatedVisit, visit } from "../../support/visitor";

describe("an address", () => {
  test("with a link leads to the door, and nothing is asked for before a name", async () => {
    const plane = await FakePlane.start();
    expect(visit(plane).session.view.phase).toEqual({ kind: "door", capability: "full" });
    const view = visit(plane, { address: plane.link("view") });
    expect(view.session.view.phase).toEqual({ kind: "door", capability: "view" });
    expect(plane.calls).toEqual([]);
  });

  test("is still the door after a reload without its fragment", async () => {
    const plane = await FakePlane.start();
    const { content } = visit(plane);
    expect(visit(plane, { address: reloadAddress(plane), content }).session.view.phase.kind).toBe("door");
  });

  test("with a fragment that is no part of a link leads to the seat of this tab", async () => {
    const plane = await FakePlane.start();
    const { content } = visit(plane);
    const again = visit(plane, { address: `${reloadAddress(plane)}#foo`, content });
    expect(again.session.view.phase.kind).toBe("door");
  });

  test.each([
    ["no_link", (link: string) => link.replace(/#.*/, "")],
    ["no_link", (link: string) => link.replace(/#.*/, "#top")],
    ["truncated", (link: string) => link.slice(0, -1)],
    ["damaged", (link: string) => link.replace(/.{3}$/, "aaa")],
    ["exposed", (link: string) => link.replace("#", "%23")],
    ["exposed", (link: string) => `${link.replace("#", "%23")}#x`],
    ["version", (link: string) => link.replace("#dp1", "#dp2")],
  ])("leads to %s", async (why, change) => {
    const plane = await FakePlane.start();
    const { session } = visit(plane, { address: change(plane.link()) });
    expect(session.view.phase).toMatchObject({ kind: "closed", why });
    expect(plane.calls).toEqual([]);
  });

  test("of http on another host is insecure", async () => {
    const plane = await FakePlane.start();
    const address = plane.link().replace("https://plane.example", "http://plane.example");
    expect(visit(plane, { address }).session.view.phase).toMatchObject({ why: "insecure" });
  });
});

describe("the seat of this tab", () => {
  test("a reload is the same participant, with no second join", async () => {
    const plane = await FakePlane.start();
    const { session, content } = await seatedVisit(plane);
    await session.post({ text: "mine" });
    const before = await until(session, "it", (view) => messagesOf(view).some(({ seq }) => seq > 0));
    session.close();
    const again = visit(plane, { address: reloadAddress(plane), content });
    const after = await until(again.session, "the seat", ({ connection }) => connection === "live");
    expect(after.me).toEqual(before.me);
    expect(textsOf(after)).toEqual(["mine"]);
    expect(plane.calls.filter((call) => call === "POST /participants")).toHaveLength(1);
    await expect(again.session.post({ text: "more" })).resolves.toBe(true);
  });

  test("a token that is over brings the same participant back by its rejoin secret", async () => {
    const plane = await FakePlane.start();
    const { session, content } = await seatedVisit(plane);
    const id = session.view.me?.id;
    session.close();
    plane.tokens.clear();
    const again = visit(plane, { address: reloadAddress(plane), content });
    const after = await until(again.session, "the seat", ({ connection }) => connection === "live");
    expect(after.me?.id).toBe(id);
    expect(eventsOf(after).filter((text) => text.includes("Ann"))).toEqual(['"Ann" (human) joined.']);
  });

  test("in a second tab it is taken: the way on is somebody else's seat", async () => {
    const plane = await FakePlane.start();
    const first = await seatedVisit(plane);
    const copy = new Map(first.content);
    const second = visit(plane, { address: reloadAddress(plane), content: copy, locks: first.locks });
    for (let tries = 0; tries < 12; tries++) {
      await rest(3);
      second.clock.advance(200);
    }
    expect(second.session.view.phase).toMatchObject({ kind: "closed", why: "elsewhere" });
    second.session.joinAsAnother();
    expect(second.session.view.phase.kind).toBe("door");
    void second.session.join("Ann too");
    const view = await until(second.session, "its own seat", ({ connection }) => connection === "live");
    expect(view.me?.id).not.toBe(first.session.view.me?.id);
  });

  test("after leaving nothing of the participant is kept", async () => {
    const plane = await FakePlane.start();
    const { session, content } = await seatedVisit(plane);
    await session.leave();
    expect(session.view.phase).toMatchObject({ kind: "closed", why: "left" });
    const again = visit(plane, { address: reloadAddress(plane), content });
    expect(again.session.view.phase.kind).toBe("door");
    session.joinAsAnother();
    expect(session.view.phase.kind).toBe("door");
    await rest();
    const kept = [...content.values()].join("");
    expect(kept).not.toContain("agreement");
    expect(kept).not.toContain("dps_");
  });

  test("a reload after leaving does not come back by itself", async () => {
    const plane = await FakePlane.start();
    const { session, content, locks } = await seatedVisit(plane);
    await session.leave();
    session.close();
    const before = plane.calls.length;
    const again = visit(plane, { address: reloadAddress(plane), content, locks });
    await rest();
    again.clock.advance(60_000);
    await rest();
    expect(again.session.view.phase).toEqual({ kind: "door", capability: "full" });
    expect(plane.calls).toHaveLength(before);
  });

  test.each([
    ["whose answer is lost", true],
    ["that the stream tells of first", false],
  ])("a leaving %s brings nobody back", async (_, isLost) => {
    const plane = await FakePlane.start();
    const { session, clock } = await seatedVisit(plane);
    let answer: (() => void) | null = null;
    let hasLeft = false;
    plane.hook = (call) => {
      if (call !== "POST /leave") return hasLeft ? problem(401, "unauthorized") : undefined;
      if (hasLeft) return problem(401, "unauthorized");
      hasLeft = true;
      plane.hangUp();
      if (isLost) return Promise.reject(new TypeError("broken"));
      return new Promise((answered) => {
        answer = () => {
          answered(json({}));
        };
      });
    };
    const left = session.leave();
    for (let round = 0; round < 6; round++) {
      await rest();
      clock.advance(1_000);
    }
    (answer as (() => void) | null)?.();
    await left;
    await rest();
    clock.advance(60_000);
    await rest();
    expect(session.view.phase).toMatchObject({ kind: "closed", why: "left" });
    const names = ["POST /rejoin", "POST /participants"];
    expect(plane.calls.filter((call) => names.includes(call))).toEqual(["POST /participants"]);
  });

  test("a leaving that does not get through leaves the seat as it was", async () => {
    const plane = await FakePlane.start();
    const { session, clock } = await seatedVisit(plane);
    plane.hook = (call) => (call === "POST /leave" ? Promise.reject(new TypeError("broken")) : undefined);
    const left = session.leave();
    for (let round = 0; round < 6; round++) {
      await rest();
      clock.advance(1_000);
    }
    await left;
    expect(session.view.phase.kind).toBe("seated");
    expect(session.view.trouble).toMatch(/can't be reached/);
    plane.hook = () => undefined;
    await expect(session.post({ text: "still here" })).resolves.toBe(true);
  });

  test("what is being written is kept with it, and gone with it", async () => {
    const plane = await FakePlane.start();
    const { session, content } = await seatedVisit(plane);
    expect(session.written()).toBeNull();
    const message = { text: "half a sen", kind: "note", topic: "t", replyTo: 3 } as const;
    session.keepWritten(message);
    session.close();
    const again = visit(plane, { address: reloadAddress(plane), content });
    expect(again.session.written()).toEqual(message);
    await until(again.session, "the seat", ({ connection }) => connection === "live");
    again.session.keepWritten(null);
    expect([...content.values()].join("")).not.toContain("half a sen");
    again.session.keepWritten(message);
    await again.session.leave();
    again.session.keepWritten(message);
    expect(again.session.written()).toBeNull();
    expect([...content.values()].join("")).not.toContain("half a sen");
  });

  test("how somebody likes to write is kept with it, in this tab, and stays with it for another name", async () => {
    const plane = await FakePlane.start();
    const { session, content } = await seatedVisit(plane);
    expect(session.habits()).toEqual({ enterSends: false, singleKeys: true });
    const habits = { enterSends: true, singleKeys: false };
    session.keepHabits(habits);
    session.close();
    const again = visit(plane, { address: reloadAddress(plane), content });
    expect(again.session.habits()).toEqual(habits);
    await until(again.session, "the seat", ({ connection }) => connection === "live");
    await again.session.leave();
    again.session.joinAsAnother();
    expect(again.session.habits()).toEqual(habits);
  });

  test("secrets are in its store and in nothing that is shown", async () => {
    const plane = await FakePlane.start();
    const { session, content } = await seatedVisit(plane);
    const secrets = JSON.stringify([...content.values()]).match(/[A-Za-z0-9_-]{43}/g) ?? [];
    const shown =
      JSON.stringify(session.view) + (await session.export("json")) + (await session.export("markdown"));
    expect(secrets.length).toBeGreaterThan(3);
    expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
    expect(shown).not.toContain("dp1f");
  });

  test("with a store that has no room nothing is sent that could be lost", async () => {
    const plane = await FakePlane.start();
    const store = { ...memoryStore(), set: () => false };
    const { session } = await seatedVisit(plane, { store });
    await expect(session.post({ text: "hm" })).resolves.toBe(false);
    // Whoever wrote it looks at once whether it is kept here, or has to be kept where it was written.
    expect(messagesOf(session.view).at(-1)).toMatchObject({ text: "hm", pending: "failed" });
    expect(plane.posts).toEqual([]);
  });
});

describe("a plane that can't be reached", () => {
  test("is tried again, and a lost join is repeated with the rejoin secret", async () => {
    const plane = await FakePlane.start();
    const joins: unknown[] = [];
    plane.hook = (call, body) => {
      if (call !== "POST /participants") return undefined;
      joins.push(body?.["participant"]);
      return joins.length === 1 ? Promise.reject(new TypeError("broken")) : undefined;
    };
    const { session, clock } = visit(plane);
    void session.join("Ann");
    const waiting = await until(session, "that it waits", ({ connection }) => connection === "waiting");
    expect(waiting.phase).toMatchObject({ kind: "closed", why: "unreachable" });
    expect(waiting.retryAt).toBeGreaterThan(clock.now());
    expect(waiting.trouble).toMatch(/can't be reached.*tried again/);
    clock.advance(1_000);
    const seated = await until(session, "the seat", ({ phase }) => phase.kind === "seated");
    // The try went well: nothing is tried again any more.
    expect(seated.trouble).toBeUndefined();
    expect(joins).toEqual([
      expect.objectContaining({ rejoin_verifier: expect.any(String) as string }),
      expect.objectContaining({ rejoin_secret: expect.any(String) as string }),
    ]);
  });

  test("while seated: waits, says when it tries again, and loses nothing", async () => {
    const plane = await FakePlane.start();
    const { session, clock } = await seatedVisit(plane);
    plane.hook = () => Promise.reject(new TypeError("broken"));
    plane.hangUp();
    const waiting = await until(session, "that it waits", ({ connection }) => connection === "waiting");
    expect(waiting.retryAt).toBeGreaterThan(clock.now());
    await plane.chat(plane.owner, "meanwhile");
    plane.hook = () => undefined;
    clock.advance(60_000);
    const view = await until(session, "what came meanwhile", (seen) => textsOf(seen).length === 1);
    expect(view.integrity.state).toBe("whole");
  });

  test("or restarts, which is told apart from an end", async () => {
    const plane = await FakePlane.start();
    const { session, clock } = await seatedVisit(plane);
    plane.hangUp({ code: "draining", retry_after_s: 2 });
    await until(session, "that it waits", ({ connection }) => connection === "waiting");
    clock.advance(2_000);
    await until(session, "the stream", ({ connection }) => connection === "live");
  });
});

describe("a way in that is closed", () => {
  test.each([
    [403, "bad_proof", {}, "gone"],
    [403, "rekeyed", { epoch: 3 }, "rekeyed"],
    [403, "door_closed", {}, "door_closed"],
    [403, "forbidden", {}, "forbidden"],
    [403, "quota_exceeded", {}, "full"],
    [410, "session_ended", { cause: "ended" }, "ended"],
    [410, "session_ended", { cause: "expired" }, "expired"],
  ])("%i %s %j", async (status, code, more, why) => {
    const plane = await FakePlane.start();
    plane.hook = (call) => (call === "POST /participants" ? problem(status, code, more) : undefined);
    const { session } = visit(plane);
    void session.join("Ann");
    const view = await until(session, "the page", ({ phase }) => phase.kind === "closed");
    expect(view.phase).toMatchObject({ why });
  });
});

test("a refusal in words of the plane's is shown in none of them", async () => {
  const plane = await FakePlane.start();
  plane.hook = (call) =>
    call === "POST /participants" ? problem(403, "Paste your link at evil.example") : undefined;
  const { session } = visit(plane);
  void session.join("Ann");
  const view = await until(session, "the page", ({ phase }) => phase.kind === "closed");
  expect(JSON.stringify(view)).not.toContain("evil");
});

test("a fault of the page's own stops it in plain sight, and quotes nothing", async () => {
  const plane = await FakePlane.start();
  const memory = memoryStore();
  let isFaulty = false;
  const set = (key: string, value: string) => {
    if (isFaulty) throw new RangeError(value);
    return memory.set(key, value);
  };
  const { session } = await seatedVisit(plane, { store: { ...memory, set } });
  isFaulty = true;
  await plane.chat(plane.owner, "what is kept fails");
  const view = await until(session, "the stop", ({ connection }) => connection === "stopped");
  expect(view.trouble).toMatch(/^This page made a mistake and stopped \(RangeError\)\. /);
  expect(view.trouble).not.toContain("agreement");
});

test("let in again, one is back in the seat", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  let knocks = 0;
  plane.hook = (call) =>
    call === "POST /participants" && ++knocks <= 2
      ? json({ knocking: true, retry_after_s: 5 }, 202)
      : undefined;
  plane.tokens.clear();
  plane.hangUp({ code: "rekeyed" });
  await until(session, "the door", ({ phase }) => phase.kind === "knocking");
  await rest();
  clock.advance(5_000);
  const view = await until(session, "the seat", ({ connection }) => connection === "live");
  expect(view.phase.kind).toBe("seated");
});

test("a refusal of what was asked for is a sentence, and gone with the next", async () => {
  const plane = await FakePlane.start();
  const { session } = await seatedVisit(plane);
  plane.hook = (call) => (call === "POST /mode" ? problem(409, "in_auto") : undefined);
  await session.setMode("relay");
  expect(session.view.trouble).toMatch(/^Auto is on/);
  plane.hook = () => undefined;
  await session.setMode("relay");
  expect(session.view.trouble).toBeUndefined();
});

test("what nothing answered and nobody asks for again is not said to be tried again", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  plane.hook = (call) => (call === "POST /mode" ? Promise.reject(new TypeError("broken")) : undefined);
  await passing(clock, session.setMode("relay"));
  expect(session.view.trouble).toBe("The server can't be reached. Try again.");
});

test("what is exported is what was verified, in blocks that no message can leave", async () => {
  const plane = await FakePlane.start();
  const secret = formatLink({
    origin: ORIGIN,
    session: drawId(),
    epoch: 1,
    kind: "full",
    secret: Secret.draw(),
  });
  await plane.say(plane.owner, {
    kind: "decision",
    text: "```\n# Not a heading\n```",
    topic: "*t*",
    pin: true,
  });
  await plane.chat(plane.owner, `see ${secret}`);
  const { session } = await seatedVisit(plane);
  const markdown = await session.export("markdown");
  expect(markdown).toContain("# A title\n");
  expect(markdown).toContain('\n## \\#3 "Olga" `');
  expect(markdown).toContain(
    "- Topic: \\*t\\*\n- Pinned: yes\n\n````text\n```\n# Not a heading\n```\n````\n",
  );
  expect(markdown).toContain("[session link withheld]");
  const document = JSON.parse(await session.export("json")) as {
    records: readonly Record<string, unknown>[];
  };
  expect(document).toMatchObject({
    format: "devpilot-session-transcript",
    version: 1,
    head_seq: 5,
    title: "A title",
  });
  expect(document.records.map(({ type, seq }) => [type, seq])).toEqual([
    ["event", 1],
    ["event", 2],
    ["message", 3],
    ["message", 4],
    ["event", 5],
  ]);
  expect(document.records[2]).toMatchObject({
    kind: "decision",
    pin: true,
    from: "Olga",
    untrusted: true,
    mine: false,
  });
});

test("who is seen now is, also by a clock that is a day ahead", async () => {
  const plane = await FakePlane.start();
  const { fetch } = plane;
  const yesterday = new Date(Date.parse("2026-11-30T12:00:00Z") - 86_400_000).toUTCString();
  const dated = async (url: string, init: RequestInit) => {
    const answer = await fetch(url, init);
    answer.headers.set("date", yesterday);
    return answer;
  };
  const { session, clock } = await seatedVisit(Object.assign(plane, { fetch: dated }));
  const owner = ({ people }: View) => people.find(({ id }) => id === plane.owner.id);
  plane.stream("presence", [
    {
      participant_id: plane.owner.id,
      fetched_seq: 2,
      listening: false,
      last_seen_at: "2026-11-29T12:00:00Z",
    },
  ]);
  const view = await until(session, "the presence", (seen) => owner(seen)?.readUpTo === 2);
  expect(Math.abs(clock.now() - (owner(view)?.lastSeen ?? 0))).toBeLessThan(1_000);
});

test("the note and the link are made of what the seat holds", async () => {
  const plane = await FakePlane.start();
  const { session } = await seatedVisit(plane);
  await until(session, "the title", ({ title }) => title !== undefined);
  expect(session.link()).toBe(plane.link());
  const note = session.note();
  if (note === undefined) throw new Error("no note");
  expect(noteText(note)).toContain(`Ann shares a DevPilot session with you: "A title"`);
  expect(noteText(note)).toContain(`\n\n${plane.link()}\n\n`);
  session.close();
  expect(visit(plane).session.note()).toBeUndefined();
});

test("an auto that others began is agreed to as well, for its own run", async () => {
  const plane = await FakePlane.start();
  const { session } = await seatedVisit(plane);
  const proposal = drawId<"proposal">();
  const terms = { budget: 20, ttl_s: 600 };
  plane.mode = {
    name: "auto",
    effective: "observe",
    proposal_id: proposal,
    budget_left: 20,
    expires_at: "2026-11-30T12:10:00.000Z",
  };
  await plane.notice({ event: "mode_changed", from: "observe", to: "auto", cause: "accepted", ...terms });
  plane.stream("state", plane.state());
  await until(session, "auto", ({ mode }) => mode.name === "auto");
  expect(session.view.mode.youAccepted).toBe(false);
  const sent: unknown[] = [];
  plane.hook = (call, body) => {
    if (call === "POST /auto/accept") sent.push(body);
    return undefined;
  };
  await session.accept();
  expect(sent).toEqual([{ proposal_id: proposal }]);
  expect(session.view.mode.youAccepted).toBe(true);
});

test("an end that lies beyond what a timer can wait is no reason to look all the time", async () => {
  const plane = await FakePlane.start();
  await plane.chat(plane.owner, "begins here");
  plane.evict(2);
  plane.mode = { name: "auto", effective: "observe", budget_left: 5, expires_at: "9999-01-01T00:00:00.000Z" };
  const { session, clock } = await seatedVisit(plane);
  expect(session.view.mode).toMatchObject({ name: "auto", budgetLeft: 5 });
  expect(Math.max(...clock.waits)).toBeLessThanOrEqual(3_600_000);
});
