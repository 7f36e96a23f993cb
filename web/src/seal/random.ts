// Randomness, from the browser's generator and nowhere else (crypto.md section 1). What needs some takes a source as
// its last argument, so that the vectors can give theirs; nothing but a test passes one.
import type { Bytes } from "./bytes";

/** Gives that many bytes, at most 65,536 at once. */
export type Random = (length: number) => Bytes;

export const systemRandom: Random = (length) => crypto.getRandomValues(new Uint8Array(length));
