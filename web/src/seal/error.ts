// What can go wrong, by the names of crypto.md section 14: stable, machine-readable, and never with a secret or a
// plaintext, so that they may be shown. They are for the person in front of the page; what failed to open, and
// why, is not reported to the plane. The sentences beside the names stand in advice.ts.

export const SEAL_ERRORS = [
  "bad_encoding",
  "bad_public_key",
  "input_too_long",
  "link_missing",
  "link_no_key",
  "link_version",
  "link_truncated",
  "link_checksum",
  "link_ambiguous",
  "link_insecure",
  "link_epoch",
  "verifier_mismatch",
  "blob_truncated",
  "version_unknown",
  "too_large",
  "auth_failed",
  "bad_padding",
  "author_unknown",
  "bad_signature",
  "not_certified",
  "bad_content",
  "profile_key_mismatch",
  "seq_gap",
  "bad_record",
  "epoch_order",
  "replay",
  "rollback",
  "own_record_mismatch",
  "fork",
  "head_ahead",
  "head_regressed",
  "bad_notice",
  "bad_member",
  "epoch_record_malformed",
  "rekey_not_owner",
  "rekey_removed",
  "rekey_auth",
  "history_closed",
  "attach_size",
  "attach_auth",
  "attach_digest",
  "limit_reached",
] as const;

/** A name of crypto.md section 14. */
export type SealErrorCode = (typeof SEAL_ERRORS)[number];

/** The one thing this room throws. Its message is its code. */
export class SealError extends Error {
  readonly code: SealErrorCode;

  constructor(code: SealErrorCode) {
    super(code);
    this.name = "SealError";
    this.code = code;
  }
}

/** The code of a refusal of this room; anything else is thrown on, being a fault of the program. */
export function codeOf(thrown: unknown): SealErrorCode {
  if (thrown instanceof SealError) return thrown.code;
  throw thrown;
}
