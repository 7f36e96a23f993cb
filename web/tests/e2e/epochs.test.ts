// Re-keys, doors and ends as a visitor lives through them, against a real plane.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Session } from "../../src/session/model";
import { openSession } from "../../src/session/session";
import { memoryStore, realOutside } from "../support/outside";
import { eventsOf, textsOf, until } from "../support/seen";
import { TestOwner } from "./owner";
import { RealPlane } from "./real";

let plane: RealPlane;
let open: Session[] = [];

beforeAll(async () => {
  plane = await RealPlane.start();
});

afterEach(() => {
  for (const session of open) session.close();
  open = [];
});

afterAll(async () => {
  await plane.stop();
});

function visit(address: string, outside = realOutside()): Session {
  const session = openSession(address, outside);
  open.push(session);
  return session;
}

async function seatedAs(name: string, link: string, outside = realOutside()): Promise<Session> {
  const session = visit(link, outside);
  void session.join(name);
  await until(session, `${name} is in`, (view) => view.phase.kind === "seated" && view.connection === "live");
  return session;
}

function idOf(session: Session): string {
  return session.view.me?.id ?? "";
}

describe("the owner re-keys", () => {
  test("who stays goes on by itself, with what was written before, and writes", async () => {
    const owner = await TestOwner.create(plane, "Goes on");
    const [ann, ben] = [await seatedAs("Ann", owner.link("full")), await seatedAs("Ben", owner.link("full"))];
    await ann.post({ text: "Before." });
    await until(ben, "the message", (view) => textsOf(view).length === 1);

    await owner.rekey({ [idOf(ann)]: "full", [idOf(ben)]: "view" });
    const moved = await until(ann, "the new epoch", (view) => view.epoch === 2 && view.connection === "live");
    expect(textsOf(moved)).toEqual(["Before."]);
    expect(moved.integrity.state).toBe("whole");
    await expect(ann.post({ text: "After." })).resolves.toBe(true);
    const read = await until(ben, "what came after", (view) => textsOf(view).length === 2);
    expect(textsOf(read)).toEqual(["Before.", "After."]);
    expect(read.canWrite).toBe(false);
    expect(ann.link()).toBe(owner.link("full"));
    expect(ben.link()).toBe(owner.link("view"));
  });

  test("who is left out is told so, and keeps what was read", async () => {
    const owner = await TestOwner.create(plane, "Out");
    const ann = await seatedAs("Ann", owner.link("full"));
    await ann.post({ text: "Mine." });
    await until(
      ann,
      "own message",
      (view) => textsOf(view).length === 1 && view.items.every(({ seq }) => seq > 0),
    );
    await owner.rekey({});
    const out = await until(ann, "the end", ({ phase }) => phase.kind === "closed");
    expect(out.phase).toMatchObject({ why: "removed" });
    expect(textsOf(out)).toEqual(["Mine."]);
  });

  test("an old link says that it is old", async () => {
    const owner = await TestOwner.create(plane, "Old");
    const link = owner.link("full");
    await owner.rekey({});
    const late = visit(link);
    void late.join("Late");
    const closed = await until(late, "the page", ({ phase }) => phase.kind === "closed");
    expect(closed.phase).toMatchObject({ why: "rekeyed" });
  });

  test("a tab that was away meanwhile comes back as the same participant", async () => {
    const owner = await TestOwner.create(plane, "Away");
    const store = memoryStore();
    const ann = await seatedAs("Ann", owner.link("full"), realOutside(store));
    const id = idOf(ann);
    ann.close();
    await owner.rekey({ [id]: "full" });
    const again = visit(`${plane.origin}/s/${owner.session}`, realOutside(store));
    const back = await until(
      again,
      "the new epoch",
      (view) => view.epoch === 2 && view.connection === "live",
    );
    expect(back.me?.id).toBe(id);
    expect(eventsOf(back)).toContain('"Ann" (human) goes on after the re-key.');
  });
});

test("an administrator re-keys: a new link brings the same participant back", async () => {
  const owner = await TestOwner.create(plane, "By an administrator");
  const store = memoryStore();
  const ann = await seatedAs("Ann", owner.link("full"), realOutside(store));
  const id = idOf(ann);
  await until(ann, "the title", ({ title }) => title === "By an administrator");
  await owner.adminRekey();
  const closed = await until(ann, "the page", ({ phase }) => phase.kind === "closed");
  expect(closed.phase).toMatchObject({ why: "rekeyed" });
  ann.close();

  const again = visit(owner.link("full"), realOutside(store));
  const back = await until(
    again,
    "the seat",
    (view) => view.connection === "live" && view.title !== undefined,
  );
  expect(back.me?.id).toBe(id);
  expect(back.canWrite).toBe(true);
  await expect(again.post({ text: "Here again." })).resolves.toBe(true);
  const late = await seatedAs("Late", owner.link("full"));
  await until(late, "the title, sealed anew", ({ title }) => title === "By an administrator");
});

describe("the door", () => {
  test("asks, and lets in", async () => {
    const owner = await TestOwner.create(plane, "Asking");
    await owner.door("ask");
    const ann = visit(owner.link("full"));
    void ann.join("Ann");
    await until(ann, "that it knocks", ({ phase }) => phase.kind === "knocking");
    const [id = ""] = await owner.knocking();
    await owner.decide(id, true);
    const seated = await until(ann, "the seat", ({ phase }) => phase.kind === "seated");
    expect(seated.me?.id).toBe(id);
  });

  test("asks, and refuses", async () => {
    const owner = await TestOwner.create(plane, "Refusing");
    await owner.door("ask");
    const ann = visit(owner.link("full"));
    void ann.join("Ann");
    await until(ann, "that it knocks", ({ phase }) => phase.kind === "knocking");
    await owner.decide((await owner.knocking())[0] ?? "", false);
    const closed = await until(ann, "the page", ({ phase }) => phase.kind === "closed");
    expect(closed.phase).toMatchObject({ why: "refused" });
  });

  test("is closed", async () => {
    const owner = await TestOwner.create(plane, "Closed");
    await owner.door("closed");
    const ann = visit(owner.link("full"));
    void ann.join("Ann");
    const closed = await until(ann, "the page", ({ phase }) => phase.kind === "closed");
    expect(closed.phase).toMatchObject({ why: "door_closed" });
  });
});

test("the session ends: what was read stays, nothing more is written, nobody new comes in", async () => {
  const owner = await TestOwner.create(plane, "Ends");
  const ann = await seatedAs("Ann", owner.link("full"));
  await ann.post({ text: "Said." });
  await owner.end();
  const ended = await until(
    ann,
    "the end",
    (view) => view.ended !== undefined && view.connection === "stopped",
  );
  expect(ended.ended?.why).toBe("ended");
  expect(ended.canWrite).toBe(false);
  expect(textsOf(ended)).toEqual(["Said."]);
  const late = visit(owner.link("full"));
  void late.join("Late");
  const closed = await until(late, "the page", ({ phase }) => phase.kind === "closed");
  expect(closed.phase).toMatchObject({ why: "ended" });
});
