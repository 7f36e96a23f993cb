// A connection that is lost without the stream's end: what tells of it, and that it is not called live meanwhile.
import { describe, expect, test } from "vitest";
import { passing, rest } from "../../support/clock";
import { FakePlane, json, problem } from "../../support/fake-plane";
import { messagesOf, textsOf, until } from "../../support/seen";
import { seatedVisit, visit } from "../../support/visitor";

const broken = () => Promise.reject(new TypeError("broken"));
/** As a network that swallows everything: an end comes only from the one who asked. */
const silent = () => new Promise<Response>(() => undefined);

test("a post that is not answered in time says it of the stream as well, long before its silence does", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  const asked = plane.calls.length;
  plane.hook = silent;
  void session.post({ text: "anybody?" });
  await rest();
  expect(session.view.connection).toBe("live");
  clock.advance(20_000);
  await until(session, "the doubt", ({ connection }) => connection !== "live");
  await rest();
  expect(plane.calls.slice(asked)).toContain("GET /participants");
  plane.hook = () => undefined;
  expect(messagesOf(session.view).at(-1)).toMatchObject({ pending: "sending" });
});

test("so does one that breaks, and a server that is back is live again", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  plane.hook = broken;
  const at = clock.now();
  const posted = session.post({ text: "anybody?" });
  await passing(
    clock,
    until(session, "the wait", ({ connection }) => connection === "waiting"),
  );
  expect(clock.now() - at).toBeLessThan(20_000);
  plane.hook = () => undefined;
  await passing(
    clock,
    until(session, "the stream", ({ connection }) => connection === "live"),
  );
  expect(await passing(clock, posted)).toBe(true);
  await until(session, "it", (view) => messagesOf(view).some(({ seq }) => seq > 0));
  expect(textsOf(session.view)).toEqual(["anybody?"]);
});

test("without a network it is not live, and with one again it is tried at once", async () => {
  const plane = await FakePlane.start();
  const { session, clock, goOffline, comeBack } = await seatedVisit(plane);
  plane.hook = broken;
  goOffline();
  await passing(
    clock,
    until(session, "the wait", ({ connection }) => connection === "waiting"),
  );
  await rest();
  const at = clock.now();
  plane.hook = () => undefined;
  comeBack();
  await until(session, "the stream", ({ connection }) => connection === "live");
  expect(clock.now()).toBe(at);
});

test("where that was no more than said, nothing is lost", async () => {
  const plane = await FakePlane.start();
  const { session, goOffline } = await seatedVisit(plane);
  const before = plane.streams;
  goOffline();
  await until(session, "the doubt", ({ connection }) => connection !== "live");
  await until(session, "the stream", ({ connection }) => connection === "live");
  expect(plane.streams).toBe(before);
});

const html = (status: number, type = "text/html") =>
  new Response("<h1>Bad gateway</h1>", { status, headers: { "content-type": type } });

describe("where something answers, and not as the server does, it is said what came", () => {
  const answers = [
    ["a page of a proxy", () => html(502), /^Something else than the server .*\(status 502\).*tried again/],
    ["a page called a problem", () => html(502, "application/problem+json"), /\(status 502\)/],
    ["a page in place of an answer", () => html(200), /\(status 200\)/],
    ["an answer of another shape", () => json({ records: "no" }), /does not understand/],
    ["a failure of its own", () => problem(500, "internal"), /^The server failed \(status 500\)/],
  ] as const;

  test.each(answers)("while seated: %s", async (_, answer, said) => {
    const plane = await FakePlane.start();
    const { session, clock } = await seatedVisit(plane);
    plane.hook = answer;
    plane.hangUp();
    const waiting = await passing(
      clock,
      until(session, "why", ({ lost = "" }) => said.test(lost)),
    );
    expect(waiting.lost).not.toContain("Bad gateway");
    expect([waiting.connection, waiting.trouble]).toEqual(["waiting", undefined]);
    plane.hook = () => undefined;
    const back = await passing(
      clock,
      until(session, "the stream", ({ connection }) => connection === "live"),
    );
    expect(back.lost).toBeUndefined();
    expect(back.integrity.state).toBe("whole");
  });

  test("from the stream alone, as well", async () => {
    const plane = await FakePlane.start();
    const { session, clock } = await seatedVisit(plane);
    plane.hook = (call) => (call === "GET /events" ? html(503) : undefined);
    plane.hangUp();
    const waiting = await passing(
      clock,
      until(session, "why", ({ lost }) => lost !== undefined),
    );
    expect(waiting.lost).toMatch(/\(status 503\)/);
  });

  test.each(answers)("at the door: %s", async (_, answer, said) => {
    const plane = await FakePlane.start();
    const { session } = visit(plane);
    plane.hook = answer;
    void session.join("Ann");
    const { phase, lost } = await until(session, "why", (view) => view.lost !== undefined);
    expect([phase, lost]).toEqual([{ kind: "closed", why: "unreachable" }, expect.stringMatching(said)]);
  });
});

test("that nothing answers is said by the connection, and by no further sentence", async () => {
  const plane = await FakePlane.start();
  const { session, clock } = await seatedVisit(plane);
  plane.hook = broken;
  plane.hangUp();
  const waiting = await passing(
    clock,
    until(session, "the wait", ({ connection }) => connection === "waiting"),
  );
  expect([waiting.lost, waiting.trouble]).toEqual([undefined, undefined]);
});
