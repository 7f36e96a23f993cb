// Whether what the plane shows holds together, as this seat found it so far (crypto.md section 9.3). It only ever gets worse
// by itself: a warning is set aside by a person, a failure by nobody. Pure.
import type { SealErrorCode } from "../seal";

export interface Alarm {
  readonly code: SealErrorCode;
  readonly seq: number;
  /** A person went on all the same. */
  readonly acknowledged: boolean;
}

/** Two histories differ, or a sender lies: named, and reading goes on. */
export function isWarning(code: SealErrorCode): boolean {
  return code === "fork" || code === "head_ahead" || code === "head_regressed";
}

/** The first failure stays, since what comes after may follow from it; a warning gives way to a failure and to a newer
 * warning. One read again after a reload is no newer one. */
export function raised(alarm: Alarm | null, code: SealErrorCode, seq: number): Alarm {
  if (alarm !== null && !isWarning(alarm.code)) return alarm;
  if (alarm !== null && isWarning(code) && seq <= alarm.seq) return alarm;
  return { code, seq, acknowledged: false };
}

/** Nothing further is accepted, and nothing posted. */
export function isBroken(alarm: Alarm | null): boolean {
  return alarm !== null && !isWarning(alarm.code);
}

/** Nothing is posted, and the mode counts as observe. */
export function isHeld(alarm: Alarm | null): boolean {
  return alarm !== null && !alarm.acknowledged;
}
