// What one participant holds of a session while the page is open: keys, people, the verified transcript and its lines, and the
// plane's newest word. The state that the other rooms work on; it asks nobody for anything.
import type { SealedTitle, State } from "../api/types";
import {
  EpochKeys,
  fromBase64Url,
  Keyring,
  openPast,
  parseEpochRecord,
  participantId,
  Roster,
  Transcript,
  type EpochRecord,
  type Identity,
  type ParticipantId,
  type Reader,
  type SealErrorCode,
} from "../seal";
import { AutoCount } from "./auto";
import type { Entry } from "./entry";
import { isBroken, raised } from "./integrity";
import { People } from "./people";
import type { Seat, SealedProfile } from "./seat";
import { Timeline } from "./timeline";

export class Held {
  readonly seat: Seat;
  readonly me: Identity;
  readonly keys = new Keyring();
  readonly roster = new Roster();
  readonly transcript: Transcript;
  readonly people: People;
  readonly timeline: Timeline;
  auto = new AutoCount(true);
  /** Messages that did not open, or whose author did not sign them. */
  withheld = 0;
  /** The plane's newest word. */
  state: State | null = null;
  title: SealedTitle | null = null;
  /** Nothing is accepted beyond it: the head of before, where something was wrong with what came after. */
  readonly readUpTo: number;
  readonly #profiles: SealedProfile[] = [];
  #haveNewProfiles = false;

  constructor(seat: Seat, me: Identity) {
    this.seat = seat;
    this.me = me;
    this.transcript = new Transcript(seat.session, seat.transcript);
    this.people = new People(this.roster, me.id);
    this.timeline = new Timeline(this.people);
    this.readUpTo = isBroken(seat.alarm) ? (seat.transcript?.seq ?? 0) : Infinity;
  }

  /** Takes up what the tab kept: keys whose records were checked with them before are checked again. Throws SealError. */
  async resume(): Promise<void> {
    const records = this.knownRecords();
    for (const record of records) {
      const secret = this.seat.secrets.get(record.epoch);
      if (secret !== undefined) this.keys.add(EpochKeys.checked(record, secret));
    }
    openPast(this.keys, records);
    for (const profile of this.seat.learnedProfiles()) await this.learn(profile, false);
    for (const [epoch, sealed] of this.seat.profiles)
      await this.roster.learn(this.keys, this.me.id, epoch, sealed);
    this.touch();
  }

  /** Ascending, as they were checked. */
  knownRecords(): readonly EpochRecord[] {
    return [...this.seat.records.values()].map(parseEpochRecord).sort((a, b) => a.epoch - b.epoch);
  }

  get reader(): Reader {
    return { keys: this.keys, roster: this.roster, me: this.me };
  }

  /** The newest epoch whose keys are held. */
  get epoch(): number {
    return this.keys.newest()?.epoch ?? 0;
  }

  /** By the records known: null after an administrator's re-key. */
  get owner(): ParticipantId | null {
    return this.knownRecords().at(-1)?.owner ?? null;
  }

  /** By one's own certificate. */
  get mayWrite(): boolean {
    return this.roster.mayWrite(this.me.id, this.epoch);
  }

  /** Has what it takes to write in the newest epoch, and is on its way back in to do so. */
  get isMoving(): boolean {
    return this.keys.newest()?.kind === "full" && !this.mayWrite;
  }

  /** Takes a profile in, wherever it comes from; one that does not hold says nothing. */
  async learn(profile: SealedProfile, isNew = true): Promise<void> {
    try {
      const who = participantId(profile.participant);
      const learned = await this.roster.learn(this.keys, who, profile.epoch, fromBase64Url(profile.sealed));
      if (learned === "full" || learned === "view") this.noteProfile(profile, isNew);
    } catch {
      // An id or an encoding that is none: it counts as not seen.
    }
    this.touch();
  }

  /** A profile that was learned, to be kept. */
  noteProfile(profile: SealedProfile, isNew: boolean): void {
    const { participant, epoch } = profile;
    const at = this.#profiles.findIndex(
      (known) => known.participant === participant && known.epoch === epoch,
    );
    if (at >= 0) this.#profiles.splice(at, 1);
    this.#profiles.push(profile);
    this.#haveNewProfiles ||= isNew;
  }

  /** Names and rights may be others now. */
  touch(): void {
    this.people.touch({
      epoch: this.epoch,
      owner: this.transcript.epoch === 0 ? this.owner : this.transcript.owner,
    });
  }

  /** A record was accepted. */
  add(entry: Entry, now: number): void {
    this.timeline.add(entry);
    this.auto.add(entry, now);
    const { what } = entry;
    if (what.type === "unreadable") this.withheld++;
    if (what.type === "member" && what.event?.event === "joined" && what.event.kind !== undefined) {
      this.people.kindOf(what.about, what.event.kind);
    }
    if (what.type === "member" || what.type === "epoch") this.touch();
  }

  /** What came before a seq is evicted: lines and counts begin anew. */
  startAfter(seq: number): void {
    this.timeline.startAfter(seq);
    this.auto = new AutoCount(false);
    this.withheld = 0;
  }

  /** The plane's word on where the session is. An older one than is known tells nothing. */
  hear(state: State): void {
    if (this.state !== null && (state.head_seq < this.state.head_seq || state.epoch < this.state.epoch))
      return;
    this.state = state;
  }

  /** Notes what was found wrong at a seq. */
  alarm(code: SealErrorCode, seq: number): void {
    this.seat.alarm = raised(this.seat.alarm, code, seq);
    this.keep();
  }

  /** Keeps in the tab how far it is. */
  keep(): boolean {
    this.seat.transcript = this.transcript.kept();
    if (this.#haveNewProfiles) this.seat.keepProfiles(this.#profiles);
    this.#haveNewProfiles = false;
    return this.seat.save();
  }

  /** The keys of an epoch that were checked with its record: the old full secret is forgotten, its view secret kept. */
  takeEpoch(keys: EpochKeys, record: EpochRecord): void {
    this.keys.newest()?.dropFull();
    this.keys.add(keys);
    this.seat.records.set(record.epoch, record.bytes);
    this.noteSecrets();
    this.touch();
  }

  /** What the keys held come from goes into the seat. */
  noteSecrets(): void {
    const newest = this.epoch;
    for (const epoch of this.keys.epochs()) {
      const held = this.keys.get(epoch);
      if (held === undefined) continue;
      if (epoch < newest) held.dropFull();
      const secret = held.linkSecret(held.kind);
      if (secret !== null) this.seat.secrets.set(epoch, secret);
    }
  }
}
