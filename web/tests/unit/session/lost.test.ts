// A connection that is lost without the stream's end: what tells of it, and that it is not called live meanwhile.
import { expect, test } from "vitest";
import { passing, rest } from "../../support/clock";
import { FakePlane } from "../../support/fake-plane";
import { messagesOf, textsOf, until } from "../../support/seen";
import { seatedVisit } from "../../support/visitor";

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
