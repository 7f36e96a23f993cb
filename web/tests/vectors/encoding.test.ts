// Group `encoding`: the one spelling of each byte string, and padding lengths (group `padding`).
import { describe, expect, test } from "vitest";
import { fromBase32, fromBase64Url, toBase32, toBase64Url } from "../../src/seal/encoding";
import { idBytes, sessionId } from "../../src/seal/ids";
import { paddedLength } from "../../src/seal/padding";
import { bytes, hex, id, outcome, vectors } from "./support";

const { base32, base64url, base64url_bad, uuid, uuid_bad } = vectors.encoding;
const refused = { error: "bad_encoding" };

describe("encoding", () => {
  test.each(base32)("base32 of $hex", ({ hex: digits, text }) => {
    expect(toBase32(bytes(digits))).toBe(text);
    expect(hex(fromBase32(text))).toBe(digits);
  });

  test.each(base64url)("base64url of '$hex'", ({ hex: digits, text }) => {
    expect(toBase64Url(bytes(digits))).toBe(text);
    expect(hex(fromBase64Url(text))).toBe(digits);
  });

  test.each(base64url_bad)("base64url refused: %s", async (text) => {
    expect(await outcome(() => fromBase64Url(text))).toEqual(refused);
  });

  test.each(uuid)("uuid of $hex", ({ hex: digits, text }) => {
    expect(id(digits)).toBe(text);
    expect(hex(idBytes(sessionId(text)))).toBe(digits);
  });

  test.each(uuid_bad)("uuid refused: %s", async (text) => {
    expect(await outcome(() => sessionId(text))).toEqual(refused);
  });
});

describe("padding", () => {
  test.each(vectors.padding)("of $len bytes", ({ len, padded }) => {
    expect(paddedLength(len)).toBe(padded);
  });
});
