// What this participant sent, against what the plane shows (crypto.md section 9.2). Kept across reloads, so that the plane
// can neither lose nor invent a message of one's own.
import { equal, type Bytes } from "../bytes";
import { fromBase64Url, toBase64Url } from "../encoding";
import { SealError } from "../error";
import { messageId, type MessageId, type ParticipantId } from "../ids";
import { sha256 } from "../kdf";
import { CLASS, type RawRecord } from "./raw";

interface Sent {
  readonly epoch: number;
  /** SHA-256 of the sealed bytes. */
  readonly body: Bytes;
  /** As the plane answered, or as it was read; null until then. */
  readonly seq: number | null;
  /** Whether it is in the chain as it was sent. */
  readonly accepted: boolean;
}

/** One of them in the store of this tab. No secret. */
export interface KeptSent {
  readonly id: string;
  readonly epoch: number;
  readonly body: string;
  readonly seq: number | null;
}

export class OwnRecords {
  readonly #sent = new Map<MessageId, Sent>();
  /** Those with a seq, by it. */
  readonly #bySeq = new Map<number, MessageId>();

  constructor(kept: readonly KeptSent[] = []) {
    for (const { id, epoch, body, seq } of kept) {
      this.#set(messageId(id), { epoch, body: fromBase64Url(body), seq, accepted: false });
    }
  }

  kept(): readonly KeptSent[] {
    return [...this.#sent].map(([id, { epoch, body, seq }]) => ({ id, epoch, body: toBase64Url(body), seq }));
  }

  has(id: MessageId): boolean {
    return this.#sent.has(id);
  }

  /** Whether one stands at that seq. */
  isAt(seq: number): boolean {
    return this.#bySeq.has(seq);
  }

  /** Whether one that the plane confirmed was not read yet. */
  isBehind(): boolean {
    return [...this.#sent.values()].some((sent) => sent.seq !== null && !sent.accepted);
  }

  /** The highest seq of those that the plane confirmed and that were not read yet; 0 when there are none. */
  owed(): number {
    let highest = 0;
    for (const { seq, accepted } of this.#sent.values())
      if (!accepted && seq !== null) highest = Math.max(highest, seq);
    return highest;
  }

  /** Before its first byte is sent. Sealing it anew after `epoch_moved` replaces it. */
  sending(id: MessageId, epoch: number, sealed: Uint8Array): void {
    const before = this.#sent.get(id);
    if (before !== undefined && before.seq !== null) throw new SealError("replay");
    this.#set(id, { epoch, body: sha256(sealed), seq: null, accepted: false });
  }

  /** Forgets one that the plane refused for good. */
  withdraw(id: MessageId): void {
    if (this.#sent.get(id)?.seq === null) this.#sent.delete(id);
  }

  /** The plane's answer, where the head is at `head`. Throws own_record_mismatch. */
  posted(id: MessageId, seq: number, head: number): void {
    const sent = this.#sent.get(id);
    const isFree = (this.#bySeq.get(seq) ?? id) === id;
    const fits =
      sent !== undefined &&
      (sent.seq === null || sent.seq === seq) &&
      (sent.accepted || seq > head) &&
      isFree;
    if (!fits) throw new SealError("own_record_mismatch");
    this.#set(id, { ...sent, seq });
  }

  /** A record about to enter: at a seq that was promised to an own message there must be that message, and no message of
   * one's own that was not sent so. Throws own_record_mismatch. */
  check(record: RawRecord, me: ParticipantId): void {
    const own = record.class === CLASS.message && record.sender === me ? record.item : null;
    const promised = this.#bySeq.get(record.seq);
    if (promised !== undefined && promised !== own) throw new SealError("own_record_mismatch");
    if (own === null) return;
    const sent = this.#sent.get(own);
    const asSent =
      sent !== undefined &&
      sent.epoch === record.epoch &&
      (sent.seq === null || sent.seq === record.seq) &&
      equal(sent.body, sha256(record.body));
    if (!asSent) throw new SealError("own_record_mismatch");
    this.#set(own, { ...sent, seq: record.seq, accepted: true });
  }

  /** Those up to a checkpoint will not be read any more. */
  settleUpTo(seq: number): void {
    for (const [id, sent] of this.#sent) {
      if (sent.seq !== null && sent.seq <= seq) this.#set(id, { ...sent, accepted: true });
    }
  }

  #set(id: MessageId, sent: Sent): void {
    this.#sent.set(id, sent);
    if (sent.seq !== null) this.#bySeq.set(sent.seq, id);
  }
}
