// The transcript hash (crypto.md section 9.1): over ciphertext, so that readers without a key follow it too.
import { concat, u32, u64, type Bytes } from "../bytes";
import { toHex } from "../encoding";
import { idBytes, idBytesOrNone, type SessionId } from "../ids";
import { label, sha256 } from "../kdf";
import type { Head } from "../message";
import type { RawRecord } from "./raw";

const LABEL = label("transcript");
const COMPARED_BYTES = 16;

/** H(0). */
export function firstHash(session: SessionId): Bytes {
  return sha256(LABEL, idBytes(session));
}

/** H(i), from H(i-1), the SHA-256 of the epoch record in force at i, and the record. */
export function nextHash(previous: Bytes, epochRecordHash: Bytes, record: RawRecord): Bytes {
  const entry = concat(
    u64(record.seq),
    u32(record.epoch),
    Uint8Array.of(record.class),
    idBytesOrNone(record.sender),
    idBytesOrNone(record.item),
    sha256(record.body),
  );
  return sha256(previous, epochRecordHash, entry);
}

/** A head as two people compare it over another channel (crypto.md section 9.5): shorter would not do. */
export function headText({ seq, hash }: Head): string {
  const digits = toHex(hash.subarray(0, COMPARED_BYTES));
  return `${String(seq)} ${digits.match(/.{4}/g)?.join(" ") ?? ""}`;
}
