// Taking records in: verified one by one, in order, before anything of them is believed, in slices that leave the browser
// time to draw. What throws a SealError did not enter, and nothing after it does.
import type { Plane } from "../api/plane";
import type { Checkpoint, Page, ParticipantRow, WireRecord } from "../api/types";
import {
  equal,
  fromBase64Url,
  fromWire,
  parseEpochRecord,
  SealError,
  type MessageId,
  type RawRecord,
} from "../seal";
import { entryOf } from "./entry";
import type { Held } from "./held";
import type { Outside } from "./outside";
import { withParts } from "./part";
import { Stopped } from "./stopped";

/** How long work goes on before the browser gets its turn. */
const SLICE_MS = 10;

export interface IntakeNeeds {
  readonly held: Held;
  readonly plane: Plane;
  readonly outside: Pick<Outside, "clock" | "breathe">;
  readonly withToken: <T>(call: (token: string) => Promise<T>) => Promise<T>;
  /** A message of one's own came in. */
  readonly own: (id: MessageId) => void;
  /** Something new is there to be shown. */
  readonly changed: () => void;
}

export class Intake {
  readonly #needs: IntakeNeeds;
  #sliceEnds = 0;

  constructor(needs: IntakeNeeds) {
    this.#needs = needs;
  }

  /** False when a record is missing after the head: to be read once more before it is held against the plane. */
  async page(page: Page): Promise<boolean> {
    const { held } = this.#needs;
    held.transcript.checkPlaneHead(page.state.head_seq);
    if (page.checkpoint !== undefined) this.skipTo(page.checkpoint);
    // Asked anew for each page: a profile may have come in between.
    const asked = new Set<string>();
    for (const record of page.records) {
      if (record.seq > held.readUpTo) break;
      try {
        await this.record(record, asked);
      } catch (thrown) {
        if (thrown instanceof SealError && thrown.code === "seq_gap") return false;
        throw thrown;
      }
    }
    held.hear(page.state);
    return true;
  }

  /** One record: compared with what was accepted, or accepted. */
  async record(record: WireRecord, asked = new Set<string>()): Promise<void> {
    const { held, outside, changed } = this.#needs;
    const raw = fromWire(record);
    if (raw.seq <= held.transcript.head.seq) {
      if (raw.seq > held.transcript.base) held.transcript.recheck(raw);
      return;
    }
    await this.#breathe();
    const author = `${raw.sender ?? ""} ${String(raw.epoch)}`;
    if (held.transcript.needsProfiles(raw, held.reader) && !asked.has(author)) {
      asked.add(author);
      await this.#needs.withToken((token) => this.learnEverybody(raw.epoch, token));
    }
    if (record.class === "epoch") this.#compareEpoch(raw);
    const outcome = await withParts(held.transcript.accept(raw, held.reader));
    const entry = entryOf(record, outcome, raw.sender, raw.item);
    held.add(entry, outside.clock.now());
    if (raw.item !== null && raw.sender === held.me.id) this.#needs.own(raw.item);
    if (outcome.type === "member" && (outcome.learned === "full" || outcome.learned === "view")) {
      const sealed = outcome.members["sealed_profile"];
      if (typeof sealed === "string") {
        held.noteProfile({ participant: outcome.about, epoch: record.epoch, sealed }, true);
      }
    }
    if (outcome.type === "message" && outcome.standing.type === "differs") {
      held.alarm(outcome.standing.code, record.seq);
    }
    if (outcome.type === "epoch") this.#newEpoch(raw, outcome.change.access.type);
    changed();
  }

  /** Goes on from a checkpoint after the head; one at or before it is ignored. */
  skipTo(checkpoint: Checkpoint): void {
    const { held } = this.#needs;
    const start = {
      seq: checkpoint.seq,
      hash: fromBase64Url(checkpoint.hash),
      epochRecord: fromBase64Url(checkpoint.epoch_record),
    };
    if (held.transcript.skipTo(start, held.keys)) held.startAfter(checkpoint.seq);
  }

  /** Asks for everybody, and learns from the profiles of an epoch and later ones that hold. */
  async learnEverybody(fromEpoch: number | null, token: string): Promise<readonly ParticipantRow[]> {
    const { held, plane } = this.#needs;
    const answer = await plane.participants(token, fromEpoch);
    for (const { participant_id: participant, epoch, sealed } of answer.sealed_profiles ?? []) {
      await held.learn({ participant, epoch, sealed });
      await this.#breathe();
    }
    held.people.setRows(answer.participants);
    return answer.participants;
  }

  /** The join, or an earlier read, brought this epoch's record already: it is that one. */
  #compareEpoch(raw: RawRecord): void {
    const { held } = this.#needs;
    const known = held.seat.records.get(raw.epoch);
    if (known === undefined || equal(known, raw.body)) return;
    // Where the keys tell already what is wrong with it, they name it.
    held.keys.get(raw.epoch)?.checkRecord(parseEpochRecord(raw.body));
    throw new SealError("rollback");
  }

  #newEpoch(raw: RawRecord, access: "held" | "given" | "removed" | "new_link_needed" | "unheld"): void {
    const { held } = this.#needs;
    if (access === "removed") throw new Stopped("removed", "rekey_removed");
    if (access === "new_link_needed") throw new Stopped("rekeyed", "admin_rekey");
    held.seat.records.set(raw.epoch, raw.body);
    if (access === "given") held.noteSecrets();
    held.touch();
  }

  async #breathe(): Promise<void> {
    const { clock, breathe } = this.#needs.outside;
    if (clock.now() < this.#sliceEnds) return;
    await breathe();
    this.#sliceEnds = clock.now() + SLICE_MS;
  }
}
