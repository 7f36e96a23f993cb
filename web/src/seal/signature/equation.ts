// Rule 4 of crypto.md section 6.3, the equation of a signature without the cofactor, in two ways: by the platform's
// Ed25519, many times faster, where it decides as it must, and by noble everywhere else. What the rules 1 to 3 refuse
// never comes here.
import { ed25519 } from "@noble/curves/ed25519.js";
import type { Bytes } from "../bytes";
import { fromHex } from "../encoding";
import { KEY_LEN } from "../limits";
import { isOfPrimeOrder } from "./point";

/** A key, for either way. */
export interface EquationKey {
  readonly bytes: Bytes;
  imported(): Promise<CryptoKey>;
}

export interface Equation {
  readonly name: "native" | "noble";
  holds(key: EquationKey, signature: Bytes, message: Bytes): Promise<boolean>;
}

export const native: Equation = {
  name: "native",
  async holds(key, signature, message) {
    try {
      return await crypto.subtle.verify("Ed25519", await key.imported(), signature, message);
    } catch {
      return false;
    }
  },
};

/** It multiplies by the cofactor, which R's own order makes up for. */
export const noble: Equation = {
  name: "noble",
  holds(key, signature, message) {
    const good =
      ed25519.verify(signature, message, key.bytes, { zip215: false }) &&
      isOfPrimeOrder(signature.subarray(0, KEY_LEN));
    return Promise.resolve(good);
  },
};

let chosen: Promise<Equation> | undefined;

/** The platform's where it passes the trial, found out once. */
export function chosenEquation(): Promise<Equation> {
  chosen ??= isStrict(native).then((strict) => (strict ? native : noble));
  return chosen;
}

/** Whether an implementation takes what it must and refuses the two signatures in which implementations differ. */
export async function isStrict(equation: Equation): Promise<boolean> {
  for (const { key, message, signature, valid } of TRIAL) {
    if ((await equation.holds(trialKey(fromHex(key)), fromHex(signature), fromHex(message))) !== valid)
      return false;
  }
  return true;
}

function trialKey(bytes: Bytes): EquationKey {
  return { bytes, imported: async () => crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]) };
}

/** Named as in the vectors. */
const TRIAL = [
  {
    name: "good",
    key: "01a1ffec3700ea4c9fdb4d61f5cb4196f1319dc0620c4c03ff10445ea932e6d0",
    message: "8e5a99c0dccb496ae60a4e2c2eefb2dbbca1b9bf4c032241cf51edd478be018e393a93d630f51264",
    signature:
      "97d8d58d97be599f712bd01d83205034677ce5fecddaeed3af856c96e00255a5" +
      "544b19b00a1e56fee20e436ed7a5e1fd996577d2cd07e5aea9e8454c9bc98f07",
    valid: true,
  },
  {
    name: "S plus L",
    key: "01a1ffec3700ea4c9fdb4d61f5cb4196f1319dc0620c4c03ff10445ea932e6d0",
    message: "8e5a99c0dccb496ae60a4e2c2eefb2dbbca1b9bf4c032241cf51edd478be018e393a93d630f51264",
    signature:
      "97d8d58d97be599f712bd01d83205034677ce5fecddaeed3af856c96e00255a5" +
      "411f0f0d25816856b9ab3a11b69fc0129a6577d2cd07e5aea9e8454c9bc98f17",
    valid: false,
  },
  {
    name: "R with a part of small order",
    key: "2779f54a86a2adaf96d7d8313c7056a6cfb0f43f0c8c1739fc76269781921733",
    message: "65b6ee21347fa2251e1a8313e4e23401e1817a307ffda1cd",
    signature:
      "dc780c25bd91a4940e4f93275138930b52ff7395380d9a8baea611264f4a37c5" +
      "5c8addd387405336902032fd914855fa0c316c7e49a33966ef267d7861200a09",
    valid: false,
  },
] as const;
