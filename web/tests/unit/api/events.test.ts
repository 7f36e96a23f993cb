// The stream: taken up where it broke off, dead when it is silent, over when the plane says so.
import { describe, expect, test } from "vitest";
import { Client } from "../../../src/api/client";
import { feed, type FeedEvent } from "../../../src/api/events";
import { PlaneFailure } from "../../../src/api/failure";
import { Plane } from "../../../src/api/plane";
import { rest, TestClock } from "../../support/clock";
import { problem } from "../../support/fake-plane";

class Streams {
  readonly clock = new TestClock();
  readonly requests: { url: string; lastEventId: string | null }[] = [];
  readonly events: FeedEvent[] = [];
  readonly ending = new AbortController();
  controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  cancelled = 0;
  answer: (() => Response) | null = null;
  failure: unknown = null;
  isOver = false;
  after = 4;

  constructor() {
    const fetch = (url: string, init: RequestInit): Promise<Response> => {
      this.requests.push({ url, lastEventId: new Headers(init.headers).get("last-event-id") });
      if (this.answer !== null) return Promise.resolve(this.answer());
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          this.controller = controller;
        },
      });
      init.signal?.addEventListener("abort", () => {
        this.cancelled++;
      });
      return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
    };
    const client = new Client({ origin: "https://p.example", fetch, clock: this.clock, random: () => 1 });
    void this.#take(new Plane(client, "s"));
  }

  async #take(plane: Plane): Promise<void> {
    try {
      for await (const event of feed({
        plane,
        token: "t",
        after: () => this.after,
        signal: this.ending.signal,
      })) {
        this.events.push(event);
      }
    } catch (thrown) {
      this.failure = thrown;
    }
    this.isOver = true;
  }

  send(text: string): Promise<void> {
    this.controller?.enqueue(new TextEncoder().encode(text));
    return rest();
  }

  get names(): readonly string[] {
    return this.events.map(({ event }) => event);
  }
}

const RECORD = 'event: record\nid: 5\ndata: {"seq":5,"at":"x","epoch":1,"class":"notice","body":"{}"}\n\n';

describe("a stream", () => {
  test("begins after what is known, and is taken up after its last record", async () => {
    const streams = new Streams();
    await rest();
    await streams.send(RECORD);
    streams.controller?.close();
    await rest();
    expect(streams.names).toEqual(["open", "record", "waiting"]);
    streams.after = 5;
    streams.clock.advance(250);
    await rest();
    expect(streams.requests).toEqual([
      { url: "https://p.example/v1/sessions/s/events?after=4", lastEventId: null },
      { url: "https://p.example/v1/sessions/s/events?after=5", lastEventId: "5" },
    ]);
    streams.ending.abort();
  });

  test("is dead after 45 s without a byte, and alive with a comment", async () => {
    const streams = new Streams();
    await rest();
    streams.clock.advance(44_000);
    await streams.send(":\n\n");
    streams.clock.advance(44_000);
    await rest();
    expect(streams.names).toEqual(["open"]);
    streams.clock.advance(1_000);
    await rest();
    expect([streams.names, streams.cancelled]).toEqual([["open", "waiting"], 1]);
    streams.ending.abort();
  });

  test.each(["rekeyed", "session_ended"])("is over with %s", async (code) => {
    const streams = new Streams();
    await rest();
    await streams.send(`event: bye\ndata: {"code":"${code}"}\n\n`);
    expect([streams.names, streams.isOver, streams.failure]).toEqual([["open", "bye"], true, null]);
  });

  test("is taken up again after draining, when the plane asks for it", async () => {
    const streams = new Streams();
    await rest();
    await streams.send('event: bye\ndata: {"code":"draining","retry_after_s":7}\n\n');
    expect(streams.clock.waits).toContain(7_000);
    streams.clock.advance(7_000);
    await rest();
    expect(streams.requests).toHaveLength(2);
    streams.ending.abort();
  });

  test("backs off from a plane that closes it each time", async () => {
    const streams = new Streams();
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      await rest();
      streams.controller?.close();
      await rest();
      const wait = streams.clock.waits[0] ?? 0;
      waits.push(wait);
      streams.clock.advance(wait);
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000]);
    streams.ending.abort();
  });

  test("passes over events of a later version", async () => {
    const streams = new Streams();
    await rest();
    await streams.send(`event: weather\ndata: sunny\n\n${RECORD}`);
    expect(streams.names).toEqual(["open", "record"]);
    streams.ending.abort();
  });

  test.each([
    ["misshapen", 'event: record\ndata: {"seq":"5"}\n\n'],
    ["misshapen", "event: state\ndata: no\n\n"],
  ])("fails as %s with what is no event", async (kind, text) => {
    const streams = new Streams();
    await rest();
    await streams.send(text);
    expect(streams.failure).toMatchObject({ kind });
  });

  test("that is refused for good says so", async () => {
    const streams = new Streams();
    await rest();
    streams.answer = () => problem(401, "rekeyed");
    streams.controller?.close();
    await rest();
    streams.clock.advance(250);
    await rest();
    expect(streams.failure).toBeInstanceOf(PlaneFailure);
    expect(streams.failure).toMatchObject({ code: "rekeyed", isTokenOver: true });
  });

  test("ends at once for a caller that stops", async () => {
    const streams = new Streams();
    await rest();
    streams.ending.abort();
    streams.controller?.error(new Error("aborted"));
    await rest();
    expect([streams.isOver, streams.failure]).toEqual([true, null]);
  });
});
