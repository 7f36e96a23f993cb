// Opening attachments (crypto.md section 11): chunk by chunk, so that a page stays responsive. Nothing of a file is given
// to anybody before `finish` has passed.
import { sha256 } from "@noble/hashes/sha2.js";
import { concat, equal, u32, type Bytes } from "./bytes";
import { decrypt } from "./cipher";
import { SealError } from "./error";
import { CHUNK_LEN, FILE_MAX, NONCE_LEN, TAG_LEN } from "./limits";
import { paddedLength } from "./padding";

/** What a message says of the file it offers. */
export interface Offer {
  /** 32 bytes, of this file alone. */
  readonly key: Bytes;
  /** Of the file. */
  readonly size: number;
  /** SHA-256 over all sealed chunks. */
  readonly digest: Bytes;
}

/** The lengths of the sealed chunks of a file, in order. Throws too_large for more than 64 MiB. */
export function sealedChunkLengths(size: number): readonly number[] {
  if (size > FILE_MAX) throw new SealError("too_large");
  if (!Number.isSafeInteger(size) || size < 0) throw new SealError("attach_size");
  const padded = paddedLength(size);
  const count = Math.ceil(padded / CHUNK_LEN);
  const last = padded - (count - 1) * CHUNK_LEN;
  return Array.from({ length: count }, (_, index) => (index === count - 1 ? last : CHUNK_LEN) + TAG_LEN);
}

/** One file, being opened. */
export class AttachmentOpening {
  readonly #offer: Offer;
  readonly #lengths: readonly number[];
  readonly #digest = sha256.create();
  readonly #parts: Bytes[] = [];
  #taken = 0;
  #paddingIsZero = true;

  /** Throws too_large. */
  constructor(offer: Offer) {
    this.#lengths = sealedChunkLengths(offer.size);
    this.#offer = offer;
  }

  /** How many sealed chunks to fetch. */
  get count(): number {
    return this.#lengths.length;
  }

  /** Takes the next sealed chunk. Throws attach_size or attach_auth. */
  take(sealed: Uint8Array): void {
    const index = this.#parts.length;
    if (sealed.length !== this.#lengths[index]) throw new SealError("attach_size");
    const nonce = chunkNonce(index, index === this.#lengths.length - 1);
    const text = decrypt(this.#offer.key, nonce, sealed, undefined, "attach_auth");
    const own = Math.min(text.length, Math.max(0, this.#offer.size - this.#taken));
    this.#paddingIsZero &&= text.subarray(own).every((byte) => byte === 0);
    this.#digest.update(sealed);
    this.#parts.push(text.subarray(0, own));
    this.#taken += text.length;
  }

  /** The file. Throws attach_size when chunks are missing, bad_padding, attach_digest. */
  finish(): Bytes {
    if (this.#parts.length !== this.#lengths.length) throw new SealError("attach_size");
    if (!this.#paddingIsZero) throw new SealError("bad_padding");
    if (!equal(this.#digest.digest(), this.#offer.digest)) throw new SealError("attach_digest");
    return concat(...this.#parts);
  }
}

/** A whole file from its sealed chunks, all in memory. */
export function openAttachment(offer: Offer, chunks: readonly Uint8Array[]): Bytes {
  const opening = new AttachmentOpening(offer);
  const lengths = sealedChunkLengths(offer.size);
  const fits =
    chunks.length === lengths.length && chunks.every((chunk, index) => chunk.length === lengths[index]);
  if (!fits) throw new SealError("attach_size");
  for (const chunk of chunks) opening.take(chunk);
  return opening.finish();
}

/** The layout of STREAM: where the chunk stands, and whether it is the last. */
function chunkNonce(index: number, isLast: boolean): Bytes {
  return concat(new Uint8Array(NONCE_LEN - 5), u32(index), Uint8Array.of(isLast ? 1 : 0));
}
