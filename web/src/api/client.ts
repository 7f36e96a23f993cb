// The one way to the plane: fetch, to the origin of the page alone, with a time-out. A token goes into the header and
// nowhere else; a redirect is not followed; nothing is cached. Knows no call by name: those are in plane.ts.
import { pauseMs } from "./backoff";
import { Misshapen, type Check } from "./check";
import { sleep, timeIn, type Clock } from "./clock";
import { failureOf, PlaneFailure } from "./failure";

export interface Wire {
  /** Such as `https://plane.example`. */
  readonly origin: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  /** From 0 to 1, for jitter alone. */
  readonly random: () => number;
}

export interface Request {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
  /** Sent again by itself while it may go well. Only for what has the same effect when it comes twice. */
  readonly repeatable: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** A status and what came with it. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const TIMEOUT_MS = 20_000;
const TRIES = 3;
/** What the plane asks for beyond this is for the caller to wait out, who can say so. */
const PAUSE_MAX_MS = 5_000;

export class Client {
  readonly wire: Wire;
  /** The plane's clock ahead of this one, in milliseconds, from its answer that was fastest. */
  #ahead = 0;
  #fastestMs = Infinity;

  constructor(wire: Wire) {
    this.wire = wire;
  }

  /** How far the plane's clock is ahead of this machine's, to about a second. */
  get clockAhead(): number {
    return this.#ahead;
  }

  /** JSON there and back. Throws PlaneFailure. */
  async json<T>(request: Request, check: Check<T>): Promise<T> {
    return checked((await this.answer(request)).body, check);
  }

  /** As `json`, where the status says which answer it is. */
  answer(request: Request): Promise<Answer> {
    return this.#tried(request, async (signal) => {
      const response = await this.#send(request, "application/json", signal);
      return { status: response.status, body: await jsonOf(response) };
    });
  }

  /** A stream that goes on until `signal` ends it; `timeoutMs` bounds the wait for its head. Throws PlaneFailure. */
  async stream(request: Request & { readonly signal: AbortSignal }, lastEventId: string | null) {
    const response = await this.#within(request, (signal) =>
      this.#send(request, "text/event-stream", signal, lastEventId),
    );
    if (
      response.body === null ||
      !(response.headers.get("content-type") ?? "").startsWith("text/event-stream")
    ) {
      throw new PlaneFailure("foreign", response.status);
    }
    return response.body;
  }

  async #tried<T>(request: Request, once: (signal: AbortSignal) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#within(request, once);
      } catch (thrown) {
        if (!(thrown instanceof PlaneFailure) || !request.repeatable || !thrown.isPassing) throw thrown;
        const pause = pauseMs(attempt, thrown.extras.retry_after_s, this.wire.random());
        if (attempt >= TRIES || pause > PAUSE_MAX_MS || request.signal?.aborted === true) throw thrown;
        await sleep(this.wire.clock, pause, request.signal);
      }
    }
  }

  /** Runs one try within its time, and names how it failed. The caller's signal stays able to end what came of it. */
  async #within<T>(request: Request, once: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ending = new AbortController();
    const signals = request.signal === undefined ? [ending.signal] : [ending.signal, request.signal];
    let isLate = false;
    const callOff = this.wire.clock.after(request.timeoutMs ?? TIMEOUT_MS, () => {
      isLate = true;
      ending.abort();
    });
    try {
      return await once(AbortSignal.any(signals));
    } catch (thrown) {
      if (thrown instanceof PlaneFailure) throw thrown;
      throw new PlaneFailure(isLate ? "timed_out" : "unreachable");
    } finally {
      callOff();
    }
  }

  async #send(request: Request, accept: string, signal: AbortSignal, lastEventId: string | null = null) {
    const headers = new Headers({ accept });
    if (request.token !== undefined) headers.set("authorization", `Bearer ${request.token}`);
    if (lastEventId !== null) headers.set("last-event-id", lastEventId);
    if (request.body !== undefined) headers.set("content-type", "application/json");
    const sentAt = this.wire.clock.now();
    const response = await this.wire.fetch(`${this.wire.origin}${request.path}`, {
      method: request.method,
      headers,
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      signal,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
    this.#compareClocks(response.headers.get("date"), sentAt);
    if (response.ok) return response;
    const isProblem = (response.headers.get("content-type") ?? "").startsWith("application/problem+json");
    const body = isProblem ? await response.json().catch(() => null) : null;
    throw failureOf(response.status, body, response.headers.get("retry-after"));
  }

  /** The header has whole seconds, so half a one is added; of all answers the fastest tells best. */
  #compareClocks(header: string | null, sentAt: number): void {
    const planes = header === null ? null : timeIn(header);
    const now = this.wire.clock.now();
    if (planes === null || now - sentAt >= this.#fastestMs) return;
    this.#fastestMs = now - sentAt;
    const ahead = planes + 500 - (sentAt + now) / 2;
    // What the header can't tell apart is no difference.
    this.#ahead = Math.abs(ahead) <= 1_000 ? 0 : Math.round(ahead);
  }
}

export function checked<T>(value: unknown, check: Check<T>): T {
  try {
    return check(value);
  } catch (thrown) {
    if (thrown instanceof Misshapen) throw new PlaneFailure("misshapen", 200);
    throw thrown;
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw new PlaneFailure("foreign", response.status);
  }
}
