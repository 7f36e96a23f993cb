// A session made here, with its people and a plane that does as it is told: for the tests of what the vectors leave out.
import { fromBase64Url, toBase64Url } from "../../../src/seal/encoding";
import { parseEpochRecord, type EpochRecord } from "../../../src/seal/epoch-record";
import { drawId, type MessageId, type SessionId } from "../../../src/seal/ids";
import { Identity } from "../../../src/seal/identity";
import { Keyring, type EpochKeys } from "../../../src/seal/keys";
import { sealMessage, type Head } from "../../../src/seal/message";
import { sealProfile } from "../../../src/seal/profile";
import { makeCreation } from "../../../src/seal/rekey-make";
import { Roster } from "../../../src/seal/roster";
import type { Reader } from "../../../src/seal/transcript/admission";
import type { Outcome } from "../../../src/seal/transcript/outcome";
import { fromWire, type RawRecord, type WireRecord } from "../../../src/seal/transcript/raw";
import type { Transcript } from "../../../src/seal/transcript/transcript";

export class World {
  readonly session: SessionId = drawId();
  readonly owner = Identity.draw(this.session);
  readonly other = Identity.draw(this.session);
  readonly keys: EpochKeys;
  readonly first: EpochRecord;
  /** The plane's records. */
  readonly records: WireRecord[] = [];

  constructor() {
    const { record, keys } = makeCreation(this.session, this.owner.id);
    this.keys = keys;
    this.first = parseEpochRecord(record);
    this.append({ epoch: 1, class: "epoch", sender: this.owner.id, epoch_record: toBase64Url(record) });
    this.joins(this.owner, keys);
    this.joins(this.other, keys);
  }

  append(record: Omit<WireRecord, "seq">): WireRecord {
    const appended = { ...record, seq: this.records.length + 1 };
    this.records.push(appended);
    return appended;
  }

  joins(who: Identity, keys: EpochKeys): WireRecord {
    const body = JSON.stringify({
      event: "joined",
      participant_id: who.id,
      kind: "human",
      capability: keys.kind,
      sealed_profile: toBase64Url(sealProfile(keys, who, "Ada")),
    });
    return this.append({ epoch: keys.epoch, class: "member", sender: who.id, body });
  }

  says(who: Identity, head: Head, id: MessageId = drawId(), keys: EpochKeys = this.keys): WireRecord {
    const sealed = sealMessage(keys, who, id, { head, content: { kind: "chat", text: "hello" } });
    return this.append({
      epoch: keys.epoch,
      class: "message",
      sender: who.id,
      item_id: id,
      sealed: toBase64Url(sealed),
    });
  }

  reader(me: Identity | null = null): Reader {
    const keys = new Keyring();
    keys.add(this.keys);
    return { keys, roster: new Roster(), me };
  }
}

/** Accepts all that the transcript has not accepted yet. */
export async function readAll(transcript: Transcript, world: World, reader: Reader): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const record of world.records.slice(transcript.head.seq)) {
    outcomes.push(await transcript.accept(fromWire(record), reader));
  }
  return outcomes;
}

export function at<Item>(items: readonly Item[], index: number): Item {
  const item = items.at(index);
  if (item === undefined) throw new Error(`nothing at ${String(index)}`);
  return item;
}

/** The sealed bytes of a message as the plane has them. */
export function sealedOf(record: WireRecord): Uint8Array {
  return fromBase64Url(record.sealed ?? "");
}

export function raw(record: WireRecord): RawRecord {
  return fromWire(record);
}
