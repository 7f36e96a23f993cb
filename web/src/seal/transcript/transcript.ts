// The verifier of a transcript (crypto.md section 9): takes one record after the other, in order, and says what each
// yields. What throws did not enter; unless it is seq_gap and one re-read mends it, the plane misbehaves or lost data:
// accept nothing further, post nothing, say so.
import { equal, type Bytes } from "../bytes";
import { fromBase64Url, toBase64Url } from "../encoding";
import { parseEpochRecord, type EpochRecord } from "../epoch-record";
import { SealError } from "../error";
import type { MessageId, ParticipantId, SessionId } from "../ids";
import { sha256 } from "../kdf";
import type { Keyring } from "../keys";
import { SEQ_MAX } from "../limits";
import type { Head } from "../message";
import { admit, needsProfiles, type Admitted, type Reader } from "./admission";
import { firstHash, nextHash } from "./chain";
import type { Outcome } from "./outcome";
import { OwnRecords, type KeptSent } from "./own";
import type { RawRecord } from "./raw";
import { readMember, readMessage, readNotice } from "./reading";

/** A place to start from when what came before is evicted (crypto.md section 9.4). */
export interface Checkpoint {
  /** The last seq that is gone. */
  readonly seq: number;
  /** H of it. */
  readonly hash: Bytes;
  /** The bytes of the epoch record in force there. */
  readonly epochRecord: Bytes;
}

/** What the tab keeps of a transcript over a reload: where it was, and what was sent. No secret, no text. */
export interface KeptTranscript {
  readonly seq: number;
  readonly hash: string;
  readonly sent: readonly KeptSent[];
}

interface Era {
  readonly fromSeq: number;
  readonly recordHash: Bytes;
}

/** One reader's view of one session. */
export class Transcript {
  readonly session: SessionId;
  readonly #own: OwnRecords;
  readonly #seen = new Set<MessageId>();
  readonly #lastOpened = new Map<ParticipantId, number>();
  readonly #confirmed = new Map<ParticipantId, number>();
  #base = 0;
  /** H from the base on; never empty. */
  #hashes: Bytes[];
  #eras: Era[] = [];
  #inForce: EpochRecord | null = null;
  /** The head before a reload, until it is reached again. */
  #mark: Head | null;
  #turn: Promise<unknown> = Promise.resolve();

  /** Nothing accepted yet. With `kept`, what is read must lead to the head that was kept. */
  constructor(session: SessionId, kept: KeptTranscript | null = null) {
    this.session = session;
    this.#hashes = [firstHash(session)];
    this.#own = new OwnRecords(kept?.sent);
    this.#mark = kept === null || kept.seq === 0 ? null : { seq: kept.seq, hash: fromBase64Url(kept.hash) };
  }

  /** For the store of this tab; the mark of an earlier reload stays until it is reached. */
  kept(): KeptTranscript {
    const { seq, hash } = this.#mark ?? this.head;
    return { seq, hash: toBase64Url(hash), sent: this.#own.kept() };
  }

  /** Whether to ask the plane for the participants once, take their profiles into the roster, and only then accept. */
  needsProfiles(record: RawRecord, reader: Reader): boolean {
    return needsProfiles(this.#standpoint(), record, reader);
  }

  /** Accepts the next record. Calls take their turn in the order they were made. */
  accept(record: RawRecord, reader: Reader): Promise<Outcome> {
    const accepted = this.#turn.then(() => this.#accept(record, reader));
    this.#turn = accepted.catch(() => undefined);
    return accepted;
  }

  async #accept(record: RawRecord, reader: Reader): Promise<Outcome> {
    const admitted = await admit(this.#standpoint(), record, reader);
    this.#enter(record, admitted, reader);
    switch (admitted.type) {
      case "epoch": {
        const {
          record: { epoch, type, owner },
          access,
          given,
        } = admitted;
        if (given !== null) reader.keys.add(given);
        return { type: "epoch", change: { epoch, epochType: type, owner, access } };
      }
      case "message":
        this.#seen.add(admitted.id);
        return readMessage(this.#confirmations(), record, admitted.sender, admitted.id, reader);
      case "member":
        return readMember(record, admitted.about, reader);
      case "notice":
        return readNotice(record.body);
    }
  }

  /** Appends to the chain, after the last checks that can refuse it. */
  #enter(record: RawRecord, admitted: Admitted, { me }: Reader): void {
    const era: Era | undefined =
      admitted.type === "epoch"
        ? { fromSeq: record.seq, recordHash: sha256(record.body) }
        : this.#eras.at(-1);
    // Admission lets nothing but an epoch record be the first.
    if (era === undefined) throw new SealError("epoch_order");
    const hash = nextHash(this.head.hash, era.recordHash, record);
    this.#checkMark(record.seq, hash);
    if (me !== null) this.#own.check(record, me.id);
    this.#passMark(record.seq);
    this.#hashes.push(hash);
    if (admitted.type !== "epoch") return;
    this.#eras.push(era);
    this.#inForce = admitted.record;
  }

  #checkMark(seq: number, hash: Bytes): void {
    if (this.#mark?.seq === seq && !equal(this.#mark.hash, hash)) throw new SealError("rollback");
  }

  #passMark(seq: number): void {
    if (this.#mark !== null && this.#mark.seq <= seq) this.#mark = null;
  }

  /** Starts after evicted records, unverified: the first message by somebody else whose head is at or after the checkpoint
   * confirms it, or shows a fork. One at or before the head is ignored, and this answers false. Throws
   * epoch_record_malformed, bad_record, verifier_mismatch, epoch_order, rollback. */
  skipTo({ seq, hash, epochRecord }: Checkpoint, keys: Keyring): boolean {
    if (seq <= this.head.seq) return false;
    if (!Number.isInteger(seq) || seq > SEQ_MAX || hash.length !== this.head.hash.length) {
      throw new SealError("bad_record");
    }
    const record = parseEpochRecord(epochRecord);
    if (record.session !== this.session) throw new SealError("epoch_record_malformed");
    keys.get(record.epoch)?.checkRecord(record);
    if (record.epoch < this.epoch) throw new SealError("epoch_order");
    if (record.epoch === this.epoch && this.#inForce !== null && !equal(epochRecord, this.#inForce.bytes)) {
      throw new SealError("rollback");
    }
    this.#checkMark(seq, hash);
    this.#passMark(seq);
    this.#base = seq;
    this.#hashes = [hash];
    this.#eras = [{ fromSeq: seq, recordHash: sha256(epochRecord) }];
    this.#inForce = record;
    this.#own.settleUpTo(seq);
    return true;
  }

  /** Compares a record at or before the head, read once more, with what was accepted. Throws own_record_mismatch where it
   * is one's own message, else rollback; seq_gap when that seq is not held. */
  recheck(record: RawRecord): void {
    const [before, accepted] = [this.hashAt(record.seq - 1), this.hashAt(record.seq)];
    const era = this.#eras.findLast(({ fromSeq }) => fromSeq <= record.seq);
    if (before === undefined || accepted === undefined || era === undefined) throw new SealError("seq_gap");
    if (equal(nextHash(before, era.recordHash, record), accepted)) return;
    throw new SealError(this.#own.isAt(record.seq) ? "own_record_mismatch" : "rollback");
  }

  /** The newest seq that the plane names. Throws rollback when it has less than was accepted, now or before a reload. */
  checkPlaneHead(headSeq: number): void {
    if (headSeq < Math.max(this.head.seq, this.#mark?.seq ?? 0)) throw new SealError("rollback");
  }

  /** Up to where a read that begins now has to come, since the plane confirmed a message of one's own there; 0 for none. */
  get owed(): number {
    return this.#own.owed();
  }

  /** Whether a read came as far. Throws own_record_mismatch: what the plane confirmed, it does not hold. */
  checkOwed(owed: number): void {
    if (this.head.seq < owed) throw new SealError("own_record_mismatch");
  }

  /** The head to put into the next message. Null while what was accepted before a reload, or an own message that the plane
   * confirmed, was not read yet: read first. Throws limit_reached at the last seq. */
  headForWriting(): Head | null {
    if (this.head.seq >= SEQ_MAX) throw new SealError("limit_reached");
    return this.#mark !== null || this.#own.isBehind() ? null : this.head;
  }

  /** Notes a message before its first byte is sent; keep the transcript then. Sealing it anew after `epoch_moved` replaces
   * it. Throws replay for an id that was accepted. */
  sending(id: MessageId, epoch: number, sealed: Uint8Array): void {
    if (this.#seen.has(id)) throw new SealError("replay");
    this.#own.sending(id, epoch, sealed);
  }

  /** Notes the plane's answer. Throws own_record_mismatch. */
  posted(id: MessageId, seq: number): void {
    this.#own.posted(id, seq, this.head.seq);
  }

  /** Forgets a message that the plane refused for good. */
  withdraw(id: MessageId): void {
    this.#own.withdraw(id);
  }

  isOwn(id: MessageId): boolean {
    return this.#own.has(id);
  }

  get head(): Head {
    return {
      seq: this.#base + this.#hashes.length - 1,
      hash: this.#hashes.at(-1) ?? firstHash(this.session),
    };
  }

  /** The seq this view starts after: 0, or that of a checkpoint. */
  get base(): number {
    return this.#base;
  }

  /** The epoch in force; 0 before the first record. */
  get epoch(): number {
    return this.#inForce?.epoch ?? 0;
  }

  /** Null before the first record. */
  get epochRecord(): EpochRecord | null {
    return this.#inForce;
  }

  /** Null after an administrator re-key. */
  get owner(): ParticipantId | null {
    return this.#inForce?.owner ?? null;
  }

  /** Up to which seq each participant's messages confirm this history, oneself included. */
  get confirmed(): ReadonlyMap<ParticipantId, number> {
    return this.#confirmed;
  }

  /** H of a seq from the base to the head. */
  hashAt(seq: number): Bytes | undefined {
    return this.#hashes[seq - this.#base];
  }

  #standpoint() {
    return {
      session: this.session,
      seq: this.head.seq,
      inForce: this.#inForce,
      hasSeen: (id: MessageId) => this.#seen.has(id),
    };
  }

  #confirmations() {
    return {
      hashAt: (seq: number) => this.hashAt(seq),
      lastOpened: this.#lastOpened,
      confirmed: this.#confirmed,
    };
  }
}
