// Texts of byte strings (crypto.md section 2): base64url in JSON, base32 in a link, hex for ids and people. Decoders
// take the one canonical spelling and throw bad_encoding for any other.
import type { Bytes } from "./bytes";
import { SealError } from "./error";

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const HEX = "0123456789abcdef";
const NO_SYMBOL = 255;

export const toBase64Url = encoder(BASE64URL, 6);
export const fromBase64Url = decoder(BASE64URL, 6);
export const toBase32 = encoder(BASE32, 5);
export const fromBase32 = decoder(BASE32, 5);
export const toHex = encoder(HEX, 4);
export const fromHex = decoder(HEX, 4);

function encoder(alphabet: string, width: number): (bytes: Uint8Array) => string {
  const mask = (1 << width) - 1;
  return (bytes) => {
    let text = "";
    let held = 0;
    let bits = 0;
    for (const byte of bytes) {
      held = (held << 8) | byte;
      bits += 8;
      while (bits >= width) {
        bits -= width;
        text += alphabet[(held >> bits) & mask] ?? "";
      }
      held &= (1 << bits) - 1;
    }
    return bits > 0 ? text + (alphabet[(held << (width - bits)) & mask] ?? "") : text;
  };
}

function decoder(alphabet: string, width: number): (text: string) => Bytes {
  const values = new Uint8Array(128).fill(NO_SYMBOL);
  for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value;
  return (text) => {
    const bytes = new Uint8Array(Math.floor((text.length * width) / 8));
    let held = 0;
    let bits = 0;
    let at = 0;
    for (let place = 0; place < text.length; place++) {
      const value = values[text.charCodeAt(place)] ?? NO_SYMBOL;
      if (value === NO_SYMBOL) throw new SealError("bad_encoding");
      held = (held << width) | value;
      bits += width;
      if (bits >= 8) {
        bits -= 8;
        bytes[at++] = held >> bits;
        held &= (1 << bits) - 1;
      }
    }
    // A whole unused symbol means a length that no byte string has; unused bits that are set, a second spelling.
    if (bits >= width || held !== 0) throw new SealError("bad_encoding");
    return bytes;
  };
}
