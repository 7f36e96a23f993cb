// From accepted records to what is told of them: comings and goings, notices, the own count of auto.
import { describe, expect, test } from "vitest";
import { AutoCount, counted, isAgreed } from "../../../src/session/auto";
import { Comings } from "../../../src/session/comings";
import { readContent, writeContent } from "../../../src/session/content";
import { readNotice, type Entry, type Notice, type What } from "../../../src/session/entry";
import { isBroken, isHeld, raised } from "../../../src/session/integrity";
import { Timeline } from "../../../src/session/timeline";
import { tell } from "../../../src/session/wording";
import { drawId, type EpochType, type ParticipantId } from "../../../src/seal";

const [ann, ben, cat, dan, eve] = Array.from({ length: 5 }, () => drawId<"participant">()) as [
  ParticipantId,
  ParticipantId,
  ParticipantId,
  ParticipantId,
  ParticipantId,
];

function entries(...whats: readonly What[]): readonly Entry[] {
  return whats.map((what, index) => ({ seq: index + 1, at: 0, epoch: 1, what }));
}

const joined = (about: ParticipantId): What => ({
  type: "member",
  about,
  event: { event: "joined", kind: "human" },
});
const left = (about: ParticipantId): What => ({ type: "member", about, event: { event: "left" } });
const rekeyed = (epochType: EpochType, stays: readonly ParticipantId[]): What => ({
  type: "epoch",
  change: { epoch: 2, epochType, owner: null, access: { type: "held" } },
  era: { stays, opensBefore: true },
});
const noticed = (notice: Notice): What => ({ type: "notice", notice });
const changed = (from: "observe" | "auto", to: "observe" | "auto", more: object = {}): What =>
  noticed({ event: "mode_changed", from, to, cause: to === "auto" ? "accepted" : "stopped", ...more });
const said: What = {
  type: "message",
  id: drawId(),
  author: ann,
  content: readContent({ kind: "chat" }),
  standing: { type: "unchecked" },
  signalDiffers: false,
};

describe("comings and goings", () => {
  test("who was kept goes on, and who was not is out and comes back", () => {
    const comings = new Comings();
    const told = entries(
      joined(ann),
      joined(ben),
      joined(cat),
      left(cat),
      joined(dan),
      rekeyed("owner_rekey", [ann, ben, cat]),
      joined(ben),
      joined(dan),
      joined(cat),
      joined(eve),
    ).map((entry) => comings.add(entry));
    expect(told[5]).toEqual({ type: "put_out", who: [dan] });
    expect([0, 6, 7, 8, 9].map((at) => told[at])).toEqual(
      ["new", "goes_on", "back", "back", "new"].map((arrival) => ({ type: "arrival", arrival })),
    );
    expect([ann, dan].map((who) => comings.isHere(who))).toEqual([true, true]);
  });

  test("after an administrator's re-key those who were here move over", () => {
    const comings = new Comings();
    const told = entries(
      joined(ann),
      joined(ben),
      left(ben),
      rekeyed("admin_rekey", []),
      joined(ann),
      joined(ben),
    ).map((entry) => comings.add(entry));
    expect([4, 5].map((at) => told[at])).toEqual(
      ["moved_over", "back"].map((arrival) => ({ type: "arrival", arrival })),
    );
    expect(comings.isHere(cat)).toBeNull();
  });
});

describe("notices", () => {
  test.each([
    [{ event: "auto_declined" }, "The proposal to go to auto was declined."],
    [
      { event: "auto_proposed", budget: 1, ttl_s: 90 },
      "Somebody proposed auto: at most 1 message within 1 min 30 s. A human decides.",
    ],
    [
      { event: "mode_changed", from: "observe", to: "auto", cause: "accepted", budget: 20, ttl_s: 1_800 },
      "The mode went from observe to auto: the proposal was accepted (at most 20 messages within 30 min).",
    ],
    [
      { event: "mode_changed", from: "auto", to: "observe", cause: "budget_spent", spent: 20, budget: 20 },
      "The mode went from auto to observe: the budget is spent (20 of 20 messages spent).",
    ],
    [
      { event: "mode_changed", from: "observe", to: "relay", cause: "requested" },
      "The mode went from observe to relay: a participant set relay.",
    ],
  ])("%j", (body, text) => {
    const notice = readNotice(body.event, body);
    expect(notice).not.toBeNull();
    const [entry] = entries({ type: "notice", notice });
    expect(entry === undefined ? null : tell(entry, null, String)).toEqual({ text, tone: "plain" });
  });

  test.each([
    { event: "auto_declined", by: "x" },
    { event: "auto_proposed", budget: -1, ttl_s: 60 },
    { event: "auto_proposed", budget: 5 },
    { event: "mode_changed", from: "observe", to: "manual", cause: "requested" },
    { event: "mode_changed", from: "observe", to: "auto", cause: "accepted", budget: 2 ** 40, ttl_s: 1 },
    { event: "mode_changed", from: "observe", to: "relay", cause: "requested", text: "x" },
    { event: "later" },
  ])("%j is not of the vocabulary", (body) => {
    expect(readNotice(body.event, body)).toBeNull();
  });
});

describe("the own count of auto", () => {
  function after(...whats: readonly What[]): AutoCount {
    const auto = new AutoCount(true);
    for (const entry of entries(...whats)) auto.add(entry, 1_000);
    return auto;
  }
  const began = changed("observe", "auto", { budget: 3, ttlS: 60 });
  const claimed = { name: "auto", proposal: "p", budgetLeft: 3, endsAt: 100_000 } as const;

  test("every message behind the beginning counts, whoever wrote it", () => {
    const { run } = after(said, began, said, { type: "unreadable", author: ben, code: "auth_failed" });
    expect(counted(claimed, run, 1_000)).toMatchObject({ name: "auto", budgetLeft: 1, budget: 3 });
    const spent = after(began, said, said, said);
    expect(counted(claimed, spent.run, 1_000)).toEqual({ name: "observe" });
  });

  test("of the plane's word and the own count the stricter holds", () => {
    const { run } = after(began);
    expect(counted({ ...claimed, budgetLeft: 1 }, run, 1_000).budgetLeft).toBe(1);
    expect(counted(claimed, run, 1_000).endsAt).toBe(61_000);
    expect(counted({ ...claimed, endsAt: 5_000 }, run, 1_000).endsAt).toBe(5_000);
    expect(counted(claimed, run, 61_000).name).toBe("observe");
    expect(counted({ name: "relay" }, run, 1_000)).toEqual({ name: "relay" });
  });

  test("what the transcript says is over is over; what it says nothing of is the plane's word", () => {
    expect(counted(claimed, after(began, changed("auto", "observe")).run, 1_000).name).toBe("observe");
    expect(counted(claimed, undefined, 1_000)).toMatchObject({ name: "auto", budgetLeft: 3 });
    expect(new AutoCount(false).run).toBeUndefined();
    expect(counted(claimed, after(said).run, 1_000)).toEqual({ name: "observe" });
  });

  test("a yes counts for the run it was given to", () => {
    const consent = { proposal: "p", budget: 3, ttlS: 60, sinceSeq: 0 };
    const { run } = after(began);
    expect(isAgreed(consent, claimed, run)).toBe(true);
    expect(isAgreed({ ...consent, budget: 2 }, claimed, run)).toBe(false);
    expect(isAgreed({ ...consent, sinceSeq: 1 }, claimed, run)).toBe(false);
    expect(isAgreed(consent, { ...claimed, proposal: "q" }, run)).toBe(false);
    expect(isAgreed(undefined, claimed, run)).toBe(false);
  });
});

describe("the alarm", () => {
  test("a failure stays the first one; a warning gives way to it and to a newer one", () => {
    const warned = raised(null, "fork", 3);
    expect([isBroken(warned), isHeld(warned)]).toEqual([false, true]);
    const setAside = { ...warned, acknowledged: true };
    expect(isHeld(setAside)).toBe(false);
    expect(raised(setAside, "fork", 3)).toBe(setAside);
    expect(raised(setAside, "head_ahead", 9)).toEqual({ code: "head_ahead", seq: 9, acknowledged: false });
    const failed = raised(setAside, "seq_gap", 5);
    expect(raised(failed, "replay", 6)).toBe(failed);
    expect(raised(failed, "fork", 7)).toBe(failed);
    expect(isBroken(failed)).toBe(true);
  });
});

describe("what a message says", () => {
  test("a member of another type counts as absent", () => {
    const content = readContent({
      kind: "chat",
      text: 7,
      to: ["a", 1],
      reply_to: "x",
      paths: {},
      pin: "yes",
      signal: "go",
    });
    expect(content).toEqual({ kind: "chat", text: "", to: ["a"], paths: [], pinned: false });
  });

  test("an id or a path that stands there twice counts once", () => {
    const content = readContent({ kind: "chat", to: ["a", "b", "a"], paths: ["x", "x", "y"] });
    expect(content).toMatchObject({ to: ["a", "b"], paths: ["x", "y"] });
  });

  test("of thousands of paths and names the first twenty are told, and the rest is counted", () => {
    const asked = new Set<string>();
    const timeline = new Timeline({
      version: () => 0,
      author: (id) => {
        asked.add(id);
        return { id, name: "unknown", capability: "full", you: id === ann, owner: false };
      },
      me: ann,
    });
    const to = [...Array.from({ length: 6_000 }, () => drawId<"participant">()), ann];
    const paths = Array.from({ length: 60_000 }, (_, at) => String(at));
    const content = readContent({ kind: "chat", text: "hi", to, paths });
    timeline.add({ seq: 1, at: 0, epoch: 1, what: { ...said, author: ben, content } as What });
    const [item] = timeline.items();
    expect(item).toMatchObject({
      paths: paths.slice(0, 20),
      morePaths: 59_980,
      moreTo: 5_981,
      mentionsYou: true,
    });
    expect(item?.kind === "message" && item.to.map(({ id }) => id)).toEqual(to.slice(0, 20));
    // The author, the reader, and those that are named.
    expect(asked.size).toBeLessThan(25);
  });

  test("absent members are left out", () => {
    expect(writeContent({ text: "hi" })).toEqual({ kind: "chat", text: "hi" });
    expect(writeContent({ text: "hi", kind: "answer", topic: "t", replyTo: 4, to: ["x"] })).toEqual({
      kind: "answer",
      text: "hi",
      topic: "t",
      to: ["x"],
      reply_to: 4,
    });
  });
});

describe("auto whose beginning can't be read", () => {
  test("is over by the plane's own word, before the plane says so", () => {
    const claimed = { name: "auto", budgetLeft: 3, endsAt: 1_000 } as const;
    expect(counted(claimed, undefined, 999)).toMatchObject({ name: "auto", budgetLeft: 3 });
    expect(counted(claimed, undefined, 1_000)).toEqual({ name: "observe" });
    expect(counted({ ...claimed, budgetLeft: 0 }, undefined, 0)).toEqual({ name: "observe" });
  });
});
