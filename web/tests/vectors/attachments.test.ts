// Group `attachments`. The page opens files and seals none, so the sealed chunks of the large cases, of which only hashes
// are given, are made here.
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { describe, expect, test } from "vitest";
import { openAttachment, sealedChunkLengths } from "../../src/seal/attachment";
import { concat, u32, type Bytes } from "../../src/seal/bytes";
import { sha256 } from "../../src/seal/kdf";
import { paddedLength } from "../../src/seal/padding";
import type { FileCase } from "./shapes";
import { bytes, expectDistinct, hex, outcome, vectors } from "./support";

const { good, bad, bad_source: source } = vectors.attachments;
const CHUNK = 1_048_576;

describe("attachments", () => {
  test("every case has a name of its own", () => {
    expectDistinct(bad.map(({ name }) => name));
  });

  test.each(good)("opened: $size bytes", (wanted) => {
    const file = fileOf(wanted);
    const chunks = wanted.chunks?.map(bytes) ?? seal(wanted);
    expect(chunks.map((chunk) => hex(sha256(chunk)))).toEqual(wanted.chunk_sha256);
    expect(sealedChunkLengths(wanted.size)).toEqual(wanted.chunk_lens);
    const opened = openAttachment(offerOf(wanted), chunks);
    expect(hex(sha256(opened))).toBe(hex(sha256(file)));
    expect(opened.length).toBe(wanted.size);
  });

  test.each(bad)("refused: $name", async (wanted) => {
    const chunks = seal(source);
    expect(chunks.map((chunk) => hex(sha256(chunk)))).toEqual(source.chunk_sha256);
    for (const op of wanted.ops) apply(chunks, op);
    const offer = offerOf({ ...source, ...wanted });
    expect(await outcome(() => openAttachment(offer, chunks).length)).toEqual({ error: wanted.error });
  });
});

function offerOf({ key, size, digest }: Pick<FileCase, "key" | "size" | "digest">) {
  return { key: bytes(key), size, digest: bytes(digest) };
}

function fileOf({ data, repeat = "", size }: FileCase): Bytes {
  if (data !== undefined) return bytes(data);
  const pattern = bytes(repeat);
  return Uint8Array.from({ length: size }, (_, at) => pattern[at % pattern.length] ?? 0);
}

function seal(row: FileCase): Bytes[] {
  const padded = new Uint8Array(paddedLength(row.size));
  padded.set(fileOf(row));
  const count = Math.ceil(padded.length / CHUNK);
  return Array.from({ length: count }, (_, index) => {
    const nonce = concat(new Uint8Array(19), u32(index), Uint8Array.of(index === count - 1 ? 1 : 0));
    const chunk = padded.subarray(index * CHUNK, (index + 1) * CHUNK);
    return xchacha20poly1305(bytes(row.key), nonce).encrypt(chunk);
  });
}

function apply(chunks: Bytes[], [name, first, second = 0]: readonly [string, number, number?]): void {
  const [a, b] = [chunks[first], chunks[second]];
  if (a === undefined) throw new Error("no such chunk");
  switch (name) {
    case "flip":
      chunks[first] = a.map((byte, at) => (at === second ? byte ^ 1 : byte));
      return;
    case "swap":
      if (b !== undefined) [chunks[first], chunks[second]] = [b, a];
      return;
    case "drop":
      chunks.splice(first, 1);
      return;
    case "repeat":
      chunks.splice(first, 0, a);
      return;
    case "cut":
      chunks[first] = a.slice(0, a.length - second);
      return;
    default:
      throw new Error(`unknown operation ${name}`);
  }
}
