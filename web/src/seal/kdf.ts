// The two hashes everything is derived with: SHA-256 and HKDF-SHA256 of 32 bytes (crypto.md section 2).
import { hkdf as nobleHkdf } from "@noble/hashes/hkdf.js";
import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { concat, utf8, type Bytes } from "./bytes";
import { HASH_LEN } from "./limits";

export function sha256(...parts: readonly Uint8Array[]): Bytes {
  const hash = nobleSha256.create();
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Extract, then expand to 32 bytes. */
export function hkdf(salt: Uint8Array, ikm: Uint8Array, ...info: readonly Uint8Array[]): Bytes {
  return nobleHkdf(nobleSha256, ikm, salt, concat(...info), HASH_LEN);
}

/** The label of a use: every one begins alike. */
export function label(use: string): Bytes {
  return utf8(`devpilot-session v1 ${use}`);
}
