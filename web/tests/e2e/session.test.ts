// The session without its page, against a real plane and the real client.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Session } from "../../src/session/model";
import { openSession } from "../../src/session/session";
import { memoryStore, realOutside, sharedLocks } from "../support/outside";
import { eventsOf, messagesOf, textsOf, until } from "../support/seen";
import { RealPlane } from "./real";

let plane: RealPlane;
const open: Session[] = [];

beforeAll(async () => {
  plane = await RealPlane.start();
});

afterAll(async () => {
  for (const session of open) session.close();
  await plane.stop();
});

function visit(address: string, outside = realOutside()): Session {
  const session = openSession(address, outside);
  open.push(session);
  return session;
}

describe("a person comes by a link that an agent made", () => {
  test("reads the hand-off, writes, is read by the client, and reads what comes", async () => {
    const link = await plane.share("Fix the login race", "The token is refreshed twice.");
    const store = memoryStore();
    const outside = realOutside(store);
    const session = visit(link, outside);
    expect(session.view.phase).toEqual({ kind: "door", capability: "full" });

    void session.join("Grace");
    const seen = await until(
      session,
      "the hand-off",
      (view) => textsOf(view).length === 1 && view.connection === "live",
    );
    expect(textsOf(seen)).toEqual(["The token is refreshed twice."]);
    expect(seen.title).toBe("Fix the login race");
    expect(seen.integrity.state).toBe("whole");
    expect(messagesOf(seen)[0]?.author).toMatchObject({ name: "Ada's agent", kind: "agent", owner: true });
    expect(eventsOf(seen)).toContain('"Grace" (human) joined.');

    await expect(session.post({ text: "Which branch?", kind: "question" })).resolves.toBe(true);
    const written = await until(session, "own message", (view) =>
      messagesOf(view).some(({ seq, author }) => author.you && seq > 0),
    );
    expect(messagesOf(written)[1]).toMatchObject({
      text: "Which branch?",
      messageKind: "question",
      author: { you: true },
    });
    expect(messagesOf(written)[1]?.pending).toBeUndefined();

    const read = JSON.stringify(await plane.client(["read"]));
    expect(read).toContain("Which branch?");
    expect(read).toContain("Grace");

    await plane.client(["post", "--kind", "answer"], "main, @Grace");
    const answered = await until(session, "the answer", (view) => textsOf(view).length === 3);
    expect(messagesOf(answered)[2]).toMatchObject({
      text: "main, @Grace",
      messageKind: "answer",
      mentionsYou: true,
    });

    session.close();
    const again = visit(`${plane.origin}${new URL(link).pathname}`, realOutside(store));
    const reloaded = await until(again, "all of it after a reload", (view) => textsOf(view).length === 3);
    expect(reloaded.me?.id).toBe(answered.me?.id);
    expect(reloaded.people.filter(({ kind }) => kind === "human")).toHaveLength(1);
  });

  test("a view link reads along and can't post", async () => {
    const session = visit(await plane.share("Only look", "Read this.", true));
    expect(session.view.phase).toEqual({ kind: "door", capability: "view" });
    void session.join("Vera");
    const seen = await until(session, "the hand-off", (view) => textsOf(view).length === 1);
    expect(seen.canWrite).toBe(false);
    await until(session, "the head", (view) => view.connection === "live");
    await expect(session.post({ text: "No" })).resolves.toBe(false);
    const refused = await until(session, "the refusal", (view) => textsOf(view).length === 2);
    expect(messagesOf(refused).at(-1)).toMatchObject({ text: "No", pending: "failed" });
    // What was written before her, and nothing of hers.
    expect(messagesOf(session.view).filter(({ seq }) => seq > 0)).toHaveLength(1);
  });

  test("a duplicated tab is another participant", async () => {
    const link = await plane.share("Two tabs", "Hello.");
    const [content, locks] = [new Map<string, string>(), sharedLocks()];
    const first = visit(link, realOutside(memoryStore(content), locks));
    void first.join("Grace");
    await until(first, "a seat", (view) => view.connection === "live");

    const second = visit(
      `${plane.origin}${new URL(link).pathname}`,
      realOutside(memoryStore(new Map(content)), locks),
    );
    await until(
      second,
      "that it is taken",
      ({ phase }) => phase.kind === "closed" && phase.why === "elsewhere",
    );
    second.joinAsAnother();
    expect(second.view.phase).toEqual({ kind: "door", capability: "full" });
    void second.join("Grace");
    const seen = await until(second, "a seat of its own", (view) => view.connection === "live");
    expect(seen.me?.id).not.toBe(first.view.me?.id);
    const both = await until(
      first,
      "both",
      (view) => view.people.filter(({ name }) => name === "Grace").length === 2,
    );
    expect(both.people.filter(({ name }) => name === "Grace").every(({ tag }) => tag !== undefined)).toBe(
      true,
    );
  });

  test("two people go to auto and one stops it", async () => {
    const link = await plane.share("Go", "Start.");
    const [ann, ben] = [visit(link), visit(link)];
    void ann.join("Ann");
    void ben.join("Ben");
    await Promise.all([ann, ben].map((one) => until(one, "a seat", (view) => view.connection === "live")));

    await ann.propose("Find the race", 5, 600_000);
    const asked = await until(ben, "the proposal", ({ proposal }) => proposal?.goal !== undefined);
    expect(asked.proposal).toMatchObject({ goal: "Find the race", budget: 5, ttlMs: 600_000, yours: false });
    await ben.accept();
    const on = await until(ann, "auto", ({ mode }) => mode.name === "auto" && mode.youAccepted);
    expect(on.mode).toMatchObject({ budget: 5, budgetLeft: 5, goal: "Find the race" });

    await ann.post({ text: "On it." });
    await until(ben, "the message", ({ mode }) => mode.budgetLeft === 4);
    await ben.stop();
    const off = await until(ann, "observe", ({ mode }) => mode.name === "observe");
    expect(eventsOf(off).at(-1)).toBe(
      "The mode went from auto to observe: somebody stopped it (1 of 5 messages spent).",
    );
  });

  test("a changed link, and one of no session, are told apart", async () => {
    const link = await plane.share("Links", "Hello.");
    const changed = link.replace(/.$/, (last) => (last === "a" ? "b" : "a"));
    expect(visit(changed).view.phase).toMatchObject({ kind: "closed", why: "damaged" });
    expect(visit(link.slice(0, -20)).view.phase).toMatchObject({ kind: "closed", why: "truncated" });
    expect(visit(link.replace("#", "%23")).view.phase).toMatchObject({ kind: "closed", why: "exposed" });
    expect(visit(link.replace(/#.*/, "")).view.phase).toMatchObject({ kind: "closed", why: "no_link" });
  });
});
