// Steps 1 to 5 of crypto.md section 9.3: may this record enter the chain? Changes nothing.
import { parseEpochRecord, type EpochRecord } from "../epoch-record";
import { SealError } from "../error";
import type { MessageId, ParticipantId, SessionId } from "../ids";
import type { Identity } from "../identity";
import type { HeldKeys, Keyring } from "../keys";
import { SEQ_MAX } from "../limits";
import { entryOf, openRekey, type Owner } from "../rekey";
import type { Roster } from "../roster";
import { ownerAfter } from "../succession";
import type { Access } from "./outcome";
import { CLASS, type RawRecord } from "./raw";

/** Who reads, with what it holds. Accepting a record may add keys (a re-key) and knowledge (a profile). */
export interface Reader {
  readonly keys: Keyring;
  readonly roster: Roster;
  /** The reader itself, where it is a participant. */
  readonly me: Identity | null;
}

/** What admission asks of the view so far. */
export interface Standpoint {
  readonly session: SessionId;
  readonly seq: number;
  /** Null before the first record. */
  readonly inForce: EpochRecord | null;
  hasSeen(id: MessageId): boolean;
}

/** A record that may enter, by class. */
export type Admitted =
  | { readonly type: "message"; readonly sender: ParticipantId; readonly id: MessageId }
  | { readonly type: "notice" }
  | { readonly type: "member"; readonly about: ParticipantId }
  | NewEra;

export interface NewEra {
  readonly type: "epoch";
  readonly record: EpochRecord;
  readonly access: Access;
  /** What the reader's entry held. */
  readonly given: HeldKeys | null;
}

export async function admit(at: Standpoint, record: RawRecord, reader: Reader): Promise<Admitted> {
  if (record.seq !== at.seq + 1 || record.seq > SEQ_MAX) throw new SealError("seq_gap");
  const admitted = byClass(record);
  const epoch = at.inForce?.epoch ?? 0;
  if (admitted === "epoch") {
    if (record.epoch !== epoch + 1) throw new SealError("epoch_order");
    return newEra(at, record, reader);
  }
  if (record.epoch !== epoch || epoch === 0) throw new SealError("epoch_order");
  if (admitted.type === "message" && at.hasSeen(admitted.id)) throw new SealError("replay");
  return admitted;
}

/** Step 2. */
function byClass(record: RawRecord): Exclude<Admitted, NewEra> | "epoch" {
  const { sender, item } = record;
  if (record.class === CLASS.message && sender !== null && item !== null) {
    return { type: "message", sender, id: item };
  }
  if (record.class === CLASS.notice && sender === null && item === null) return { type: "notice" };
  if (record.class === CLASS.member && sender !== null && item === null)
    return { type: "member", about: sender };
  if (record.class === CLASS.epoch && item === null) return "epoch";
  throw new SealError("bad_record");
}

/** Step 4. */
async function newEra(at: Standpoint, raw: RawRecord, reader: Reader): Promise<NewEra> {
  const record = parseEpochRecord(raw.body);
  if (record.session !== at.session || record.epoch !== raw.epoch)
    throw new SealError("epoch_record_malformed");
  ownerAfter(at.inForce?.owner ?? null, record);
  if (record.owner !== raw.sender) throw new SealError("bad_record");
  const held = reader.keys.get(record.epoch);
  held?.checkRecord(record);
  const given = await ownEntry(at, record, reader);
  return { type: "epoch", record, access: accessOf(record, held, given, reader), given };
}

/** Opens the reader's own entry, if it is listed. */
async function ownEntry(at: Standpoint, record: EpochRecord, reader: Reader): Promise<HeldKeys | null> {
  if (reader.me === null || entryOf(record, reader.me.id) === null) return null;
  const old = reader.keys.get(record.epoch - 1);
  if (old !== undefined) return openRekey(record, old, ownerOf(at, reader), reader.me);
  // It came by a link, without the epoch before: that secret fits the record, and nothing is left to open the entry with.
  if (reader.keys.get(record.epoch) !== undefined) return null;
  throw new SealError("rekey_auth");
}

function ownerOf(at: Standpoint, reader: Reader): Owner {
  const id = at.inForce?.owner ?? null;
  return { id, keys: id === null ? null : (reader.roster.get(id)?.keys ?? null) };
}

/** Who holds a later epoch reads the past; for anybody else this is where reading ends. */
function accessOf(
  record: EpochRecord,
  held: HeldKeys | undefined,
  given: HeldKeys | null,
  { keys, me }: Reader,
): Access {
  if (held !== undefined) return { type: "held" };
  if (given !== null) return { type: "given", kind: given.kind };
  const isPast = (keys.newest()?.epoch ?? 0) > record.epoch;
  if (isPast || me === null || record.type === "creation") return { type: "unheld" };
  return { type: record.type === "owner_rekey" ? "removed" : "new_link_needed" };
}

/** Whether a profile that the plane serves could change what a record yields (crypto.md section 6.2): its author is not
 * known or has no right to write in its epoch, or a re-key names the reader and the owner's keys are not known. */
export function needsProfiles(at: Standpoint, record: RawRecord, reader: Reader): boolean {
  if (record.class === CLASS.message && record.sender !== null) {
    return (
      reader.keys.get(record.epoch) !== undefined && !reader.roster.mayWrite(record.sender, record.epoch)
    );
  }
  if (record.class !== CLASS.epoch || reader.me === null) return false;
  try {
    const isListed = entryOf(parseEpochRecord(record.body), reader.me.id) !== null;
    return isListed && ownerOf(at, reader).keys === null;
  } catch {
    return false;
  }
}
