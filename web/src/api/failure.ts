// What can go wrong between here and the plane, and what that leaves open. No secret and no text of the plane's is in it:
// what a person reads is worded from the code.
import { extras as extrasOf } from "./answers";
import { object, text } from "./check";
import type { Code, Extras } from "./types";

/** How a call failed. */
export type FailureKind =
  /** The plane refused, and said why. */
  | "problem"
  /** No answer came: no connection, or it broke. */
  | "unreachable"
  | "timed_out"
  /** An answer that is not the plane's API, such as of a proxy in between. */
  | "foreign"
  /** An answer of the plane's that this version does not understand. */
  | "misshapen";

export class PlaneFailure extends Error {
  readonly kind: FailureKind;
  /** 0 without an answer. */
  readonly status: number;
  /** Null unless the plane said why; a code of a later version stands as it is. */
  readonly code: Code | null;
  readonly extras: Extras;

  constructor(kind: FailureKind, status = 0, code: Code | null = null, extras: Extras = {}) {
    super(code ?? kind);
    this.name = "PlaneFailure";
    this.kind = kind;
    this.status = status;
    this.code = code;
    this.extras = extras;
  }

  /** May go well when the same is tried again. */
  get isPassing(): boolean {
    if (this.kind === "unreachable" || this.kind === "timed_out") return true;
    return [408, 429, 500, 502, 503, 504].includes(this.status);
  }

  /** The plane itself said no to what was asked. A word about the token is none about that, and what stands in between can't
   * know: both may follow on a try that had its effect. */
  get isRefusal(): boolean {
    return this.kind === "problem" && !(this.isPassing || this.isTokenOver);
  }

  /** The plane stored nothing at this try; what an earlier one did stays open. */
  get isUnstored(): boolean {
    return this.isRefusal || this.isTokenOver || this.code === "rate_limited";
  }

  /** The token is over: by a re-key, by age, or because it was used up. */
  get isTokenOver(): boolean {
    return this.kind === "problem" && this.status === 401;
  }
}

const CODE = /^[a-z][a-z_]{0,31}$/;

/** The failure that an answer of a status from 400 on tells of. `body` is null where it was not the API's. */
export function failureOf(status: number, body: unknown, retryAfter: string | null): PlaneFailure {
  const asked = secondsOf(retryAfter);
  try {
    const { code } = object({ code: text }, {})(body);
    const found = extrasOf(body);
    const extras =
      found.retry_after_s === undefined && asked !== null ? { ...found, retry_after_s: asked } : found;
    // A code that this version does not know has no words here, and is worded like any refusal. What has not the form of
    // one is text, and is not kept: a code stands in a page as the reason to report.
    return new PlaneFailure("problem", status, CODE.test(code) ? (code as Code) : null, extras);
  } catch {
    return new PlaneFailure("foreign", status, null, asked === null ? {} : { retry_after_s: asked });
  }
}

function secondsOf(header: string | null): number | null {
  return header !== null && /^[0-9]{1,6}$/.test(header) ? Number(header) : null;
}
