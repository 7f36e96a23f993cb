// HPKE single-shot in mode_psk for the one suite of crypto.md section 10.2: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256,
// ChaCha20-Poly1305. The library does the work; this file fixes the suite and the form.
import {
  AeadId,
  CipherSuite,
  DhkemX25519HkdfSha256,
  HkdfSha256,
  type AeadEncryptionContext,
  type AeadInterface,
} from "@hpke/core";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import type { Bytes } from "./bytes";
import { SealError } from "./error";
import type { Secret } from "./secret";

type Buffers = ArrayBufferLike | ArrayBufferView;

/** The cipher of the suite by the library that the page has anyway, rather than a second copy of it. */
const aead: AeadInterface = {
  id: AeadId.Chacha20Poly1305,
  keySize: 32,
  nonceSize: 12,
  tagSize: 16,
  createEncryptionContext(key): AeadEncryptionContext {
    const held = bytesOf(key).slice();
    return {
      seal: async (nonce, text, data) =>
        chacha20poly1305(held, bytesOf(nonce), bytesOf(data)).encrypt(bytesOf(text)).buffer,
      open: async (nonce, sealed, data) =>
        chacha20poly1305(held, bytesOf(nonce), bytesOf(data)).decrypt(bytesOf(sealed)).buffer,
    };
  },
};

const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead });

function bytesOf(given: Buffers): Uint8Array {
  return ArrayBuffer.isView(given)
    ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
    : new Uint8Array(given);
}

/** What both sides know and nothing carries. */
export interface Shared {
  readonly info: Bytes;
  readonly data: Bytes;
  readonly psk: Bytes;
  readonly pskId: Bytes;
}

export interface Sealed {
  readonly encapsulated: Bytes;
  readonly sealed: Bytes;
}

/** `ephemeral` is for the vectors; without it the library draws its own. Throws bad_public_key. */
export async function sealPsk(
  recipient: Bytes,
  text: Bytes,
  { info, data, psk, pskId }: Shared,
  ephemeral?: CryptoKeyPair,
): Promise<Sealed> {
  try {
    const recipientPublicKey = await suite.kem.deserializePublicKey(recipient);
    const ekm = ephemeral === undefined ? {} : { ekm: ephemeral };
    const { enc, ct } = await suite.seal(
      { recipientPublicKey, info, psk: { id: pskId, key: psk }, ...ekm },
      text,
      data,
    );
    return { encapsulated: new Uint8Array(enc), sealed: new Uint8Array(ct) };
  } catch {
    throw new SealError("bad_public_key");
  }
}

/** Throws rekey_auth, whatever fails. */
export async function openPsk(
  recipient: Secret,
  { encapsulated, sealed }: Sealed,
  { info, data, psk, pskId }: Shared,
): Promise<Bytes> {
  try {
    const recipientKey = await suite.kem.deserializePrivateKey(recipient.expose());
    const opened = await suite.open(
      { recipientKey, enc: encapsulated, info, psk: { id: pskId, key: psk } },
      sealed,
      data,
    );
    return new Uint8Array(opened);
  } catch {
    throw new SealError("rekey_auth");
  }
}

/** The pair of a chosen private key, for the vectors. */
export async function keyPairOf(secret: Secret, publicKey: Bytes): Promise<CryptoKeyPair> {
  return {
    privateKey: await suite.kem.deserializePrivateKey(secret.expose()),
    publicKey: await suite.kem.deserializePublicKey(publicKey),
  };
}
