// The one way to the plane: time-outs, what is tried again, what a failure is.
import { describe, expect, test } from "vitest";
import { pauseMs } from "../../../src/api/backoff";
import { count, object, text } from "../../../src/api/check";
import { Client, type Request } from "../../../src/api/client";
import { PlaneFailure } from "../../../src/api/failure";
import { TestClock, rest } from "../../support/clock";
import { json, problem } from "../../support/fake-plane";

type Answer = () => Response | Promise<Response>;

function client(...answers: readonly Answer[]) {
  const clock = new TestClock();
  const sent: { url: string; init: RequestInit }[] = [];
  const left = [...answers];
  const fetch = (url: string, init: RequestInit): Promise<Response> => {
    sent.push({ url, init });
    const next = left.shift();
    if (next === undefined) return Promise.reject(new TypeError("no network"));
    return Promise.race([
      Promise.resolve().then(next),
      new Promise<Response>((_, failed) => {
        init.signal?.addEventListener("abort", () => {
          failed(new DOMException("aborted", "AbortError"));
        });
      }),
    ]);
  };
  return {
    client: new Client({ origin: "https://plane.example", fetch, clock, random: () => 1 }),
    clock,
    sent,
  };
}

const GET: Request = { method: "GET", path: "/v1/x", token: "dps_t", repeatable: true };
const shape = object({ a: count }, { b: text });
const never: Answer = () => new Promise<Response>(() => undefined);

async function failure(promise: Promise<unknown>): Promise<PlaneFailure> {
  const thrown: unknown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof PlaneFailure) return thrown;
  throw new Error(`not a failure: ${String(thrown)}`);
}

test("a call carries its token in the header alone, follows nothing and keeps nothing", async () => {
  const { client: plane, sent } = client(() => json({ a: 1, b: null, later: true }));
  await expect(plane.json(GET, shape)).resolves.toEqual({ a: 1 });
  const [{ url, init } = { url: "", init: {} }] = sent;
  expect(url).toBe("https://plane.example/v1/x");
  expect(new Headers(init.headers).get("authorization")).toBe("Bearer dps_t");
  expect(init).toMatchObject({
    credentials: "omit",
    redirect: "error",
    cache: "no-store",
    referrerPolicy: "no-referrer",
  });
});

describe("failures", () => {
  test("a problem has its code and extras", async () => {
    const { client: plane } = client(() =>
      problem(410, "session_ended", { cause: "expired", at: "x", more: 1 }),
    );
    const { kind, code, extras, isPassing } = await failure(plane.json(GET, shape));
    expect([kind, code, isPassing]).toEqual(["problem", "session_ended", false]);
    expect(extras).toEqual({ cause: "expired", at: "x" });
  });

  test.each([
    ["a page of a proxy", () => new Response("<html>", { status: 403 }), "foreign"],
    ["no JSON at all", () => new Response("ok", { status: 200 }), "foreign"],
    ["another shape", () => json({ a: "1" }), "misshapen"],
    ["a number out of range", () => json({ a: -1 }), "misshapen"],
    ["a list", () => json([]), "misshapen"],
  ] as const)("%s", async (_, answer, kind) => {
    const { client: plane } = client(answer);
    expect((await failure(plane.json(GET, shape))).kind).toBe(kind);
  });

  test("no answer in time", async () => {
    const { client: plane, clock } = client(never);
    const failed = failure(plane.json({ ...GET, repeatable: false }, shape));
    await rest();
    clock.advance(20_000);
    const { kind, isPassing, isRefusal } = await failed;
    expect([kind, isPassing, isRefusal]).toEqual(["timed_out", true, false]);
  });
});

describe("trying again", () => {
  test("what may be repeated is, after a pause", async () => {
    const {
      client: plane,
      clock,
      sent,
    } = client(
      () => Promise.reject(new TypeError("broken")),
      () => problem(503, "store_unavailable"),
      () => json({ a: 2 }),
    );
    const answer = plane.json(GET, shape);
    await rest();
    expect(clock.waits).toEqual([250]);
    clock.advance(250);
    await rest();
    clock.advance(500);
    await expect(answer).resolves.toEqual({ a: 2 });
    expect(sent).toHaveLength(3);
  });

  test("what may not be is not", async () => {
    const { client: plane, sent } = client(
      () => problem(503, "draining"),
      () => json({ a: 1 }),
    );
    expect((await failure(plane.json({ ...GET, repeatable: false }, shape))).code).toBe("draining");
    expect(sent).toHaveLength(1);
  });

  test("a refusal is not", async () => {
    const { client: plane, sent } = client(
      () => problem(403, "view_only"),
      () => json({ a: 1 }),
    );
    expect((await failure(plane.json(GET, shape))).code).toBe("view_only");
    expect(sent).toHaveLength(1);
  });

  test("Retry-After is kept, in the header and in the body", async () => {
    const limited = new Response("{}", { status: 429, headers: { "retry-after": "3" } });
    const { client: plane, clock } = client(
      () => limited,
      () => problem(429, "rate_limited", { retry_after_s: 4 }),
      () => json({ a: 1 }),
    );
    const answer = plane.json(GET, shape);
    await rest();
    expect(clock.waits).toEqual([3_000]);
    clock.advance(3_000);
    await rest();
    expect(clock.waits).toEqual([4_000]);
    clock.advance(4_000);
    await expect(answer).resolves.toEqual({ a: 1 });
  });

  test("a long wait is for the caller", async () => {
    const { client: plane } = client(() => problem(429, "rate_limited", { retry_after_s: 60 }));
    expect((await failure(plane.json(GET, shape))).extras.retry_after_s).toBe(60);
  });
});

test("pauses double to half a minute, and what the plane asks is never shortened", () => {
  expect([1, 2, 3].map((attempt) => pauseMs(attempt, undefined, 1))).toEqual([250, 500, 1_000]);
  expect(pauseMs(2, undefined, 0)).toBe(250);
  expect(pauseMs(1_000, undefined, 1)).toBe(30_000);
  expect(pauseMs(1, 60, 0)).toBe(60_000);
  expect(pauseMs(9, 1, 1)).toBe(30_000);
});

test("the plane's clock is told from its answers, where they differ by more than they can say", async () => {
  const at = (date: string) => () => new Response('{"a":1}', { headers: { date } });
  const same = client(at("Mon, 30 Nov 2026 12:00:00 GMT"));
  await same.client.json(GET, shape);
  expect(same.client.clockAhead).toBe(0);
  const ahead = client(at("Mon, 30 Nov 2026 12:01:00 GMT"));
  await ahead.client.json(GET, shape);
  expect(ahead.client.clockAhead).toBe(60_500);
  const none = client(at("Tue, 13 Sep 275760 00:00:00 GMT"));
  await none.client.json(GET, shape);
  expect(none.client.clockAhead).toBe(0);
});
