// What nobody may write into a session, whatever it stands in: whoever reads it could come in by it, now or later. Pure.
import { redact } from "../seal";

const TOKEN = /dp[sma]_[A-Za-z0-9_-]{16,}/;

export const ACCESS =
  "This holds a link or a token. Whoever reads it could use it, now or later: take it out, and send it by another way.";

/** Whether a text holds the key of a session, or a token of a machine, participant or administrator. */
export function givesAccess(text: string): boolean {
  return redact(text) !== text || TOKEN.test(text);
}
