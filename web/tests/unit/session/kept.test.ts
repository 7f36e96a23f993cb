// A seat that this tab kept, of another version or shape: it counts as none, and the link leads in anew.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/seal";
import { FakePlane } from "../../support/fake-plane";
import { textsOf, until } from "../../support/seen";
import { reloadAddress, seatedVisit, visit } from "../../support/visitor";

/** A seat as it is kept after something was read and written, with one thing more of each kind. */
async function kept() {
  const plane = await FakePlane.start();
  await plane.chat(plane.owner, "one");
  const { session, content } = await seatedVisit(plane);
  await session.propose("a goal", 5, 60_000);
  await session.post({ text: "mine" });
  session.close();
  const key = `devpilot-session.${plane.session}`;
  const seat = JSON.parse(content.get(key) ?? "") as JsonObject;
  const put = (value: unknown) => content.set(key, JSON.stringify(value));
  return { plane, content, key, seat, put };
}

test("as it was kept it is the same participant", async () => {
  const { plane, content, seat } = await kept();
  const { session } = visit(plane, { address: reloadAddress(plane), content });
  const { me } = await until(session, "the seat", ({ connection }) => connection === "live");
  expect(me?.name).toBe(seat["name"]);
});

test("and from before there was anything to choose", async () => {
  const { plane, content, seat, put } = await kept();
  const { habits: _, ...before } = seat;
  put(before);
  const { session } = visit(plane, { address: reloadAddress(plane), content });
  await until(session, "the seat", ({ connection }) => connection === "live");
  expect(session.habits()).toEqual({ enterSends: false, singleKeys: true });
});

describe("counts as none", () => {
  const SPOILT: readonly (readonly [string, JsonObject])[] = [
    ["of a later version", { version: 2 }],
    ["of a version of another type", { version: "1" }],
    ["with a name that is none", { name: { first: "Ann" } }],
    ["without a secret", { secrets: [] }],
    ["with a secret that is none", { secrets: [{ epoch: 1, kind: "full", secret: "AAAA" }] }],
    ["with a kind of link that is none", { secrets: [{ epoch: 1, kind: "half", secret: "A".repeat(43) }] }],
    ["with records in another shape", { records: { 1: "AA" } }],
    ["with a record that is none", { records: [{ epoch: 1, bytes: "AAAA" }] }],
    ["with profiles that are none", { profiles: "x" }],
    ["with keys of another length", { keys: { agreement: "AAAA", signing: "AAAA" } }],
    ["with a way in that is none", { entry: "window" }],
    ["with a transcript that is none", { transcript: { seq: "4", hash: "AA", sent: [] } }],
    ["with a message that has no id", { transcript: { seq: 4, hash: "AA", sent: [{ id: "x", epoch: 1 }] } }],
    ["with an alarm of another name", { alarm: { code: "fire", seq: 1, acknowledged: false } }],
    ["with agreements that are none", { consents: [null] }],
    ["with drafts that are none", { drafts: [{ at: 1, content: "hello" }] }],
    [
      "with a draft sent under no id",
      { drafts: [{ at: 1, content: {}, sent: { id: "x", epoch: 1, sealed: "AA" } }] },
    ],
    ["with a title that is none", { title: ["x"] }],
    ["with habits that are none", { habits: { enterSends: "yes", singleKeys: true } }],
    ["of another session", { session: "00000000-0000-4000-8000-000000000000" }],
  ];

  test.each(SPOILT)("%s", async (_, spoilt) => {
    const { plane, content, seat, put } = await kept();
    put({ ...seat, ...spoilt });
    const alone = visit(plane, { address: reloadAddress(plane), content });
    expect(alone.session.view.phase).toMatchObject({ kind: "closed", why: "no_link" });
    alone.session.close();
    const { session } = await seatedVisit(plane, { content });
    expect(session.view).toMatchObject({ connection: "live", integrity: { state: "whole" } });
    expect(textsOf(session.view)).toEqual(["one", "mine"]);
  });

  test.each([
    "session",
    "secrets",
    "records",
    "profiles",
    "name",
    "entry",
    "keys",
    "consents",
    "drafts",
    "version",
  ])("without its %s", async (member) => {
    const { plane, content, seat, put } = await kept();
    put(Object.fromEntries(Object.entries(seat).filter(([name]) => name !== member)));
    const { session } = visit(plane, { address: plane.link(), content });
    expect(session.view.phase.kind).toBe("door");
  });

  test.each([null, [], "seat", 7])("what is no seat at all: %j", async (value) => {
    const { plane, content, put } = await kept();
    put(value);
    expect(visit(plane, { content }).session.view.phase.kind).toBe("door");
  });

  test.each([{}, "x", [null], [{ participant: 1 }]])(
    "profiles of others that are none: %j",
    async (value) => {
      const { plane, content, key } = await kept();
      content.set(`${key}.people`, JSON.stringify(value));
      const { session } = visit(plane, { address: reloadAddress(plane), content });
      const view = await until(session, "the seat", ({ connection }) => connection === "live");
      expect(view.trouble).toBeUndefined();
    },
  );
});
