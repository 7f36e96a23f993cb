// A session's events as they come (plane-api.md), for as long as somebody takes them: read with fetch, taken up again by
// itself where it broke off. Ends when the token is over or the session is; what the events mean is for src/session.
import { bye, checkpoint, presence, record, state } from "./answers";
import { pauseMs } from "./backoff";
import type { Check } from "./check";
import { checked } from "./client";
import { sleep, type Clock } from "./clock";
import { PlaneFailure } from "./failure";
import type { Plane } from "./plane";
import { EventParser, EventTooLarge, type ServerEvent } from "./sse";
import type { Bye, StreamEvent } from "./types";

export type FeedEvent =
  | StreamEvent
  /** The stream is open; what follows is live. */
  | { readonly event: "open" }
  /** It broke off, or can't be had: the next try is at this time. Null where it ended without a failure. */
  | { readonly event: "waiting"; readonly until: number; readonly failure: PlaneFailure | null };

export interface Feeding {
  readonly plane: Plane;
  readonly token: string;
  /** The seq after which events are wanted, asked at each try. */
  readonly after: () => number;
  readonly signal: AbortSignal;
}

/** Without a byte for so long a stream is dead: the plane sends a comment every 15 s. */
const SILENCE_MS = 45_000;

/** One that lasted so long was no failure: the next try comes soon. */
const STEADY_MS = 10_000;

/** Yields until `bye` says that this token's stream is over (it is the last event then), the caller stops, or the plane
 * refuses for good: that is thrown, a PlaneFailure. */
export async function* feed(feeding: Feeding): AsyncGenerator<FeedEvent, void> {
  const { plane, signal } = feeding;
  const { clock, random } = plane.client.wire;
  let lastEventId: string | null = null;
  let failures = 0;
  while (!signal.aborted) {
    const startedAt = clock.now();
    let askedS: number | undefined;
    let failure: PlaneFailure | null = null;
    try {
      for await (const [event, id] of once(feeding, lastEventId)) {
        lastEventId = id ?? lastEventId;
        yield event;
        if (event.event !== "bye") continue;
        if (isOver(event.data)) return;
        askedS = event.data.retry_after_s ?? undefined;
        break;
      }
    } catch (thrown) {
      if (!(thrown instanceof PlaneFailure) || !thrown.isPassing) throw thrown;
      askedS = thrown.extras.retry_after_s;
      failure = thrown;
    }
    if (signal.aborted) return;
    failures = clock.now() - startedAt > STEADY_MS ? 1 : failures + 1;
    const pause = pauseMs(failures, askedS, random());
    yield { event: "waiting", until: clock.now() + pause, failure };
    await sleep(clock, pause, signal);
  }
}

/** After `draining` and `too_slow` the same token goes on. */
function isOver({ code }: Bye): boolean {
  return code === "rekeyed" || code === "session_ended";
}

/** One stream from its head to its end. */
async function* once(
  { plane, token, after, signal }: Feeding,
  lastEventId: string | null,
): AsyncGenerator<readonly [FeedEvent, string | null], void> {
  const ending = new AbortController();
  const endIt = () => {
    ending.abort();
  };
  signal.addEventListener("abort", endIt);
  try {
    const body = await plane.events(token, after(), lastEventId, ending.signal);
    const reader = body.getReader();
    const parser = new EventParser();
    yield [{ event: "open" }, null];
    for (;;) {
      const { done, value } = await within(plane.client.wire.clock, SILENCE_MS, reader.read());
      if (done) return;
      for (const event of parser.push(value)) {
        const understood = understand(event);
        if (understood !== null) yield [understood, event.id];
      }
    }
  } catch (thrown) {
    if (thrown instanceof EventTooLarge) throw new PlaneFailure("misshapen", 200);
    if (thrown instanceof PlaneFailure) throw thrown;
    throw new PlaneFailure("unreachable");
  } finally {
    signal.removeEventListener("abort", endIt);
    ending.abort();
  }
}

function within<T>(clock: Clock, milliseconds: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const callOff = clock.after(milliseconds, () => {
      reject(new PlaneFailure("timed_out"));
    });
    promise.then(
      (value) => {
        callOff();
        resolve(value);
      },
      (thrown: unknown) => {
        callOff();
        reject(thrown instanceof Error ? thrown : new PlaneFailure("unreachable"));
      },
    );
  });
}

/** Null for an event of a later version. */
function understand({ event, data }: ServerEvent): StreamEvent | null {
  switch (event) {
    case "record":
      return { event, data: parsed(data, record) };
    case "state":
      return { event, data: parsed(data, state) };
    case "presence":
      return { event, data: parsed(data, presence) };
    case "checkpoint":
      return { event, data: parsed(data, checkpoint) };
    case "bye":
      return { event, data: parsed(data, bye) };
    default:
      return null;
  }
}

function parsed<T>(data: string, check: Check<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw new PlaneFailure("misshapen", 200);
  }
  return checked(value, check);
}
