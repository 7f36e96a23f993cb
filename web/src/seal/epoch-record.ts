// The layout of an epoch record (crypto.md section 10.1): parsing and writing it, with every check that needs no key.
import { concat, equal, readU16, readU32, u16, u32, type Bytes } from "./bytes";
import { SealError } from "./error";
import { idBytes, idBytesOrNone, idFromBytes, idOrNone, type ParticipantId, type SessionId } from "./ids";
import { ENTRIES_MAX, ENTRY_LEN, EPOCH_HEADER_LEN, HISTORY_BLOCK_LEN, NONCE_LEN, VERSION } from "./limits";
import type { LinkKind } from "./secret";

const EPOCH_TYPES = ["creation", "owner_rekey", "admin_rekey"] as const;
const CAPABILITIES: readonly (LinkKind | undefined)[] = [undefined, "full", "view"];

export type EpochType = (typeof EPOCH_TYPES)[number];

/** What an epoch commits to: enough to check a secret by. 32 bytes each. */
export interface Commitments {
  readonly fullVerifier: Bytes;
  readonly viewVerifier: Bytes;
  readonly postingKey: Bytes;
  readonly maskedOpening: Bytes;
}

/** The secret of a new epoch, sealed to one who stays. */
export interface Entry {
  readonly participant: ParticipantId;
  readonly capability: LinkKind;
  readonly encapsulated: Bytes;
  readonly sealed: Bytes;
}

export interface EpochFields {
  readonly type: EpochType;
  readonly session: SessionId;
  readonly epoch: number;
  readonly commitments: Commitments;
  /** Null after an administrator re-key. */
  readonly owner: ParticipantId | null;
  /** Nonce and ciphertext; null where history is closed. */
  readonly history: Bytes | null;
  /** Ascending by participant. */
  readonly entries: readonly Entry[];
}

export interface EpochRecord extends EpochFields {
  /** All of it, as it is hashed. */
  readonly bytes: Bytes;
}

/** The header and the history block: what every entry is bound to. `count` is that of the entries to follow. */
export function writePrefix(fields: Omit<EpochFields, "entries">, count: number): Bytes {
  const { commitments } = fields;
  return concat(
    Uint8Array.of(VERSION, EPOCH_TYPES.indexOf(fields.type)),
    idBytes(fields.session),
    u32(fields.epoch),
    commitments.fullVerifier,
    commitments.viewVerifier,
    commitments.postingKey,
    commitments.maskedOpening,
    idBytesOrNone(fields.owner),
    Uint8Array.of(fields.history === null ? 0 : 1),
    u16(count),
    fields.history ?? new Uint8Array(0),
  );
}

export function writeEntry(entry: Entry): Bytes {
  return concat(
    idBytes(entry.participant),
    Uint8Array.of(CAPABILITIES.indexOf(entry.capability)),
    entry.encapsulated,
    entry.sealed,
  );
}

/** The bytes of a record up to its first entry. */
export function prefixOf(record: EpochRecord): Bytes {
  return record.bytes.slice(0, record.bytes.length - record.entries.length * ENTRY_LEN);
}

/** Throws epoch_record_malformed. */
export function parseEpochRecord(bytes: Bytes): EpochRecord {
  if (bytes.length < EPOCH_HEADER_LEN) throw malformed();
  const type = EPOCH_TYPES[bytes[1] ?? EPOCH_TYPES.length];
  const blockLength = [0, HISTORY_BLOCK_LEN][bytes[166] ?? 2];
  const count = readU16(bytes, 167);
  if (bytes[0] !== VERSION || type === undefined || blockLength === undefined || count > ENTRIES_MAX)
    throw malformed();
  const entriesAt = EPOCH_HEADER_LEN + blockLength;
  if (bytes.length !== entriesAt + count * ENTRY_LEN) throw malformed();
  const record: EpochRecord = {
    bytes,
    type,
    session: idFromBytes(bytes.subarray(2, 18)),
    epoch: readU32(bytes, 18),
    commitments: {
      fullVerifier: bytes.slice(22, 54),
      viewVerifier: bytes.slice(54, 86),
      postingKey: bytes.slice(86, 118),
      maskedOpening: bytes.slice(118, 150),
    },
    owner: idOrNone(bytes.subarray(150, 166)),
    history: blockLength === 0 ? null : bytes.slice(EPOCH_HEADER_LEN, entriesAt),
    entries: parseEntries(bytes.subarray(entriesAt), count),
  };
  if (!isConsistent(record)) throw malformed();
  return record;
}

function parseEntries(bytes: Bytes, count: number): readonly Entry[] {
  return Array.from({ length: count }, (_, index) => {
    const entry = bytes.subarray(index * ENTRY_LEN, (index + 1) * ENTRY_LEN);
    const participant = idOrNone<"participant">(entry.subarray(0, 16));
    const capability = CAPABILITIES[entry[16] ?? 0];
    if (participant === null || capability === undefined) throw malformed();
    return { participant, capability, encapsulated: entry.slice(17, 49), sealed: entry.slice(49) };
  });
}

function isConsistent(record: EpochFields): boolean {
  const { type, epoch, owner, history, entries } = record;
  const bare = history === null && entries.length === 0;
  return (
    epoch !== 0 &&
    (type === "creation") === (epoch === 1) &&
    (type === "admin_rekey") === (owner === null) &&
    (type === "owner_rekey" || bare) &&
    // Texts of ids sort as their bytes do.
    entries.every(
      (entry, index) => index === 0 || (entries[index - 1]?.participant ?? "") < entry.participant,
    )
  );
}

/** The nonce and the ciphertext of a history block. */
export function historyParts(block: Bytes): { readonly nonce: Bytes; readonly sealed: Bytes } {
  return { nonce: block.slice(0, NONCE_LEN), sealed: block.slice(NONCE_LEN) };
}

export function sameCommitments(a: Commitments, b: Commitments): boolean {
  return (
    equal(a.fullVerifier, b.fullVerifier) &&
    equal(a.viewVerifier, b.viewVerifier) &&
    equal(a.postingKey, b.postingKey) &&
    equal(a.maskedOpening, b.maskedOpening)
  );
}

function malformed(): SealError {
  return new SealError("epoch_record_malformed");
}
