// The vectors of crypto.md, from the one file that both implementations replay, and what every group needs to read them.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { fromHex, toHex } from "../../src/seal/encoding";
import { SealError } from "../../src/seal/error";
import { idFromBytes, idOrNone, type Id } from "../../src/seal/ids";
import { Secret, type LinkKind } from "../../src/seal/secret";
import { VerificationKey } from "../../src/seal/signature/key";
import type { Vectors } from "./shapes";

export const vectors = read<Vectors>("vectors.json");

/** A file of seal/vectors, whose shape is the caller's word. */
export function read<Shape>(name: string): Shape {
  const text = readFileSync(new URL(`../../../seal/vectors/${name}`, import.meta.url), "utf8");
  return JSON.parse(text) as Shape;
}

export const bytes = fromHex;
export const hex = toHex;

export function id<What extends string>(digits: string): Id<What> {
  return idFromBytes<What>(fromHex(digits));
}

export function maybeId<What extends string>(digits: string): Id<What> | null {
  return idOrNone<What>(fromHex(digits));
}

export function secret(digits: string): Secret {
  return new Secret(fromHex(digits));
}

export function key(digits: string): VerificationKey {
  return new VerificationKey(fromHex(digits));
}

export function kindOf(letter: string): LinkKind {
  return letter === "f" ? "full" : "view";
}

/** What a call gives, or the name of the error it ends in. */
export async function outcome<Value>(
  call: () => Value | Promise<Value>,
): Promise<{ readonly ok: Value } | { readonly error: string }> {
  try {
    return { ok: await call() };
  } catch (thrown) {
    if (thrown instanceof SealError) return { error: thrown.code };
    throw thrown;
  }
}

/** Names of tests must differ, so that each case can be run alone. */
export function expectDistinct(names: readonly string[]): void {
  expect(new Set(names).size).toBe(names.length);
}
