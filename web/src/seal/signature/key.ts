// Ed25519 as crypto.md section 6.3 has it: signing as in RFC 8032; verifying stricter, so that all readers decide alike
// on odd keys and signatures. The equation itself is left to the platform or to noble (equation.ts).
import { ed25519 } from "@noble/curves/ed25519.js";
import { copyOf, equal, type Bytes } from "../bytes";
import { SealError } from "../error";
import { KEY_LEN, SIGNATURE_LEN } from "../limits";
import type { Secret } from "../secret";
import { chosenEquation, type Equation, type EquationKey } from "./equation";
import { isOfPrimeOrder } from "./point";

/** The order of the base point, little-endian. */
const ORDER = Uint8Array.of(
  ...[0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14],
  ...[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10],
);
const NEUTRAL = new Uint8Array(KEY_LEN).fill(1, 0, 1);

/** A key that signatures are verified with: a participant's, or the posting key of an epoch. It may be none at all;
 * then nothing verifies under it. Whether it is one is found out once. */
export class VerificationKey implements EquationKey {
  readonly bytes: Bytes;
  #sound: boolean | undefined;
  #imported: Promise<CryptoKey> | undefined;

  /** Throws bad_encoding unless there are 32 bytes. */
  constructor(bytes: Uint8Array) {
    if (bytes.length !== KEY_LEN) throw new SealError("bad_encoding");
    this.bytes = copyOf(bytes);
  }

  /** Whether a signature is this key's over the message. With an equation given, by that one. */
  async verifies(signature: Uint8Array, message: Bytes, equation?: Equation): Promise<boolean> {
    if (signature.length !== SIGNATURE_LEN) return false;
    if (!isBelowOrder(signature.subarray(KEY_LEN))) return false;
    if (equal(signature.subarray(0, KEY_LEN), NEUTRAL)) return false;
    if (!this.#isSound()) return false;
    return (equation ?? (await chosenEquation())).holds(this, copyOf(signature), message);
  }

  /** For WebCrypto; made once. */
  imported(): Promise<CryptoKey> {
    this.#imported ??= crypto.subtle.importKey("raw", this.bytes, "Ed25519", false, ["verify"]);
    return this.#imported;
  }

  /** Rule 2: the canonical encoding of a point of order exactly L. */
  #isSound(): boolean {
    this.#sound ??= isOfPrimeOrder(this.bytes);
    return this.#sound;
  }
}

export function verificationKeyOf(seed: Secret): VerificationKey {
  return new VerificationKey(ed25519.getPublicKey(seed.expose()));
}

/** Deterministic; 64 bytes. */
export function sign(seed: Secret, message: Uint8Array): Bytes {
  return ed25519.sign(message, seed.expose());
}

/** Rule 1, for the second half of a signature. */
function isBelowOrder(scalar: Uint8Array): boolean {
  for (let at = KEY_LEN - 1; at >= 0; at--) {
    const difference = (scalar[at] ?? 0) - (ORDER[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
