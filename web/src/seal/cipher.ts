// XChaCha20-Poly1305, the one cipher of sealed records, history blocks and attachments.
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import type { Bytes } from "./bytes";
import { SealError, type SealErrorCode } from "./error";

const NO_DATA: Uint8Array = new Uint8Array(0);

/** Ciphertext and tag. The nonce has 24 bytes. */
export function encrypt(key: Uint8Array, nonce: Uint8Array, text: Uint8Array, data = NO_DATA): Bytes {
  return xchacha20poly1305(key, nonce, data).encrypt(text);
}

/** Throws `failure` when the text, the tag or the associated data was changed. */
export function decrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  sealed: Uint8Array,
  data = NO_DATA,
  failure: SealErrorCode = "auth_failed",
): Bytes {
  try {
    return xchacha20poly1305(key, nonce, data).decrypt(sealed);
  } catch {
    throw new SealError(failure);
  }
}
