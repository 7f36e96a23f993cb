// The key schedule of crypto.md section 3, one function a line of it. Everything is of one epoch, which the salt names.
import { ed25519 } from "@noble/curves/ed25519.js";
import { concat, u32, type Bytes } from "./bytes";
import { idBytes, type SessionId } from "./ids";
import { hkdf, label } from "./kdf";

const POSTING_KEY = label("posting key");
const OPENING = label("opening");
const VIEW_SECRET = label("view secret");
const OPENING_MASK = label("opening mask");
const FULL_PROOF = label("full proof");
const VIEW_PROOF = label("view proof");
const CONTENT = label("content");

export function saltOf(session: SessionId, epoch: number): Bytes {
  return concat(idBytes(session), u32(epoch));
}

export function postingSeed(salt: Bytes, full: Bytes): Bytes {
  return hkdf(salt, full, POSTING_KEY);
}

export function postingKey(salt: Bytes, full: Bytes): Bytes {
  return ed25519.getPublicKey(postingSeed(salt, full));
}

export function opening(salt: Bytes, full: Bytes): Bytes {
  return hkdf(salt, full, OPENING);
}

export function viewSecret(salt: Bytes, opened: Bytes, posting: Bytes): Bytes {
  return hkdf(salt, opened, VIEW_SECRET, posting);
}

/** The opening under its mask, and the other way round. */
export function masked(salt: Bytes, view: Bytes, opened: Bytes): Bytes {
  const mask = hkdf(salt, view, OPENING_MASK);
  return mask.map((byte, at) => byte ^ (opened[at] ?? 0));
}

export function fullProof(salt: Bytes, full: Bytes): Bytes {
  return hkdf(salt, full, FULL_PROOF);
}

export function viewProof(salt: Bytes, view: Bytes): Bytes {
  return hkdf(salt, view, VIEW_PROOF);
}

export function contentKey(salt: Bytes, view: Bytes): Bytes {
  return hkdf(salt, view, CONTENT);
}
