// What crypto.md section 6.3 asks of a point: to be the canonical encoding of one of order exactly L, neither of small
// nor of mixed order.
import { ed25519 } from "@noble/curves/ed25519.js";

export function isOfPrimeOrder(encoding: Uint8Array): boolean {
  try {
    const point = ed25519.Point.fromBytes(encoding, false);
    return !point.isSmallOrder() && point.isTorsionFree();
  } catch {
    return false;
  }
}
