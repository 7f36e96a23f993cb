// How long a frame is made, so that its length tells little (crypto.md section 7): 512 bytes, above that Padmé.
import { FRAME_MIN } from "./limits";

/** For lengths below 2^31. */
export function paddedLength(length: number): number {
  if (length <= FRAME_MIN) return FRAME_MIN;
  const exponent = bitLength(length) - 1;
  const mask = (1 << (exponent - bitLength(exponent))) - 1;
  return (length + mask) & ~mask;
}

function bitLength(value: number): number {
  return 32 - Math.clz32(value);
}
