// What a person wrote and the transcript does not hold yet: sealed one at a time at the current head, kept before the first byte
// is sent, the same bytes sent until they are answered, and never doubled (crypto.md sections 7, Retry, and 9.2). A refused one
// stays with its text.
import { pauseMs } from "../api/backoff";
import { sleep } from "../api/clock";
import { PlaneFailure } from "../api/failure";
import type { Plane } from "../api/plane";
import type { Posted } from "../api/types";
import {
  advice,
  drawId,
  fromBase64Url,
  type JsonObject,
  messageId,
  type MessageId,
  SealError,
  sealMessage,
  toBase64Url,
} from "../seal";
import { ACCESS, givesAccess } from "./access";
import { readContent, type Content } from "./content";
import type { Held } from "./held";
import type { Delay } from "./model";
import { isHeld } from "./integrity";
import type { Outside } from "./outside";
import { delayOf, sentenceOf } from "./trouble";

export interface OutboxNeeds {
  readonly held: Held;
  readonly plane: Plane;
  readonly outside: Pick<Outside, "clock" | "random">;
  readonly signal: AbortSignal;
  /** Makes a call with a token that counts, coming back first where it does not. */
  readonly withToken: <T>(call: (token: string) => Promise<T>) => Promise<T>;
  readonly changed: () => void;
  /** One that the plane confirmed did not come in time: to be read for. */
  readonly overdue: () => void;
  /** What can't be gone on from: the plane misbehaves, or this participant is out. */
  readonly failed: (thrown: unknown) => void;
}

/** As the page shows it. */
export interface Pending {
  /** Below zero. */
  readonly seq: number;
  readonly at: number;
  readonly content: Content;
  readonly refusal?: string;
  /** The plane says that it has it. */
  readonly isConfirmed: boolean;
  readonly delay?: Delay;
}

interface Sent {
  readonly id: MessageId;
  readonly epoch: number;
  readonly sealed: Uint8Array<ArrayBuffer>;
}

interface Draft {
  readonly local: number;
  readonly json: JsonObject;
  readonly content: Content;
  readonly at: number;
  readonly settle: (isStored: boolean) => void;
  /** Stays over a change of epoch. */
  id: MessageId | null;
  sent: Sent | null;
  /** As the plane answered; it goes when its record is accepted. */
  seq: number | null;
  /** How often the plane said that the epoch moved, and showed no other. */
  moves: number;
  refusal: string | null;
  /** A try is under way. */
  isOut: boolean;
  /** A try ended so that it may have been stored. */
  isInDoubt: boolean;
  /** Why the last try failed, and when the next one is. */
  failed: { readonly why: string; readonly until: number } | null;
  /** Calls off what still comes because of it. */
  calm: () => void;
}

/** On its way for longer than this, a message says why. */
const LATE_MS = 10_000;
/** What was confirmed comes by the stream at once. */
const OVERDUE_MS = 30_000;

const UNANSWERED = "The server has not answered yet.";
const UNSHOWN = "The server has confirmed it, and does not show it yet.";
const BEHIND = "It waits for the message before it.";
const OUTSIDE = "It waits until this page is connected again.";
const TAKEN_BACK = "You took it back, and it was not stored.";
const KEPT_FROM_YOU =
  "The server confirmed this message and does not show it: others may not have it. Copy the text.";

/** An epoch that moved is there to be had with one look; a plane that never shows it is not asked without end. */
const MOVES_MAX = 5;

const NEVER_MOVED =
  "The server says that the session was re-keyed, and shows no re-key. Nothing was posted; try again later, or tell its operator.";
const READ_ONLY = "This is a link for reading along. To write, ask for a full link.";
const NO_ROOM =
  "This tab has no room to keep a message safely. Copy the text, and close other sessions in this tab.";

export class Outbox {
  readonly #needs: OutboxNeeds;
  #drafts: Draft[] = [];
  /** Those of them whose record came in. */
  readonly #accepted = new Set<MessageId>();
  #lastLocal = 0;
  #isSending = false;
  #isAsked = false;

  constructor(needs: OutboxNeeds) {
    this.#needs = needs;
    for (const kept of needs.held.seat.drafts) {
      const draft = this.#draft(kept.content, kept.at, () => undefined);
      draft.refusal = kept.refusal ?? null;
      if (kept.sent !== undefined) {
        const { id, epoch, sealed } = kept.sent;
        draft.id = messageId(id);
        draft.sent = { id: draft.id, epoch, sealed: fromBase64Url(sealed) };
        draft.isInDoubt = true;
      }
    }
  }

  get pending(): readonly Pending[] {
    return this.#drafts.map((draft) => {
      const { local, at, content, refusal } = draft;
      const delay = refusal === null ? this.#delayOf(draft) : null;
      return {
        seq: local,
        at,
        content,
        isConfirmed: draft.seq !== null,
        ...(refusal === null ? {} : { refusal }),
        ...(delay === null ? {} : { delay }),
      };
    });
  }

  #delayOf(draft: Draft): Delay | null {
    const first = this.#drafts.find(({ seq, refusal }) => seq === null && refusal === null);
    const until = (draft.seq === null ? first?.failed?.until : undefined) ?? this.#needs.outside.clock.now();
    if (until - draft.at < LATE_MS) return null;
    const next = draft.seq === null && first?.failed != null ? { until } : {};
    return { why: whyLate(draft, draft === first), ...next, isUnstored: isUnstored(draft) };
  }

  /** True once the plane stored it, false once it was refused or discarded. */
  post(json: JsonObject): Promise<boolean> {
    return new Promise((settle) => {
      this.#draft(json, this.#needs.outside.clock.now(), settle);
      this.#keep();
      this.#needs.changed();
      this.go();
    });
  }

  /** Tries a refused one again, as a new message. */
  retry(local: number): Promise<boolean> {
    const draft = this.#drafts.find((one) => one.local === local && one.refusal !== null);
    if (draft === undefined) return Promise.resolve(false);
    this.#drop(draft);
    return this.post(draft.json);
  }

  /** Forgets a refused one. One under way can't be called back. */
  discard(local: number): void {
    const draft = this.#drafts.find((one) => one.local === local && one.refusal !== null);
    if (draft !== undefined) this.#drop(draft);
  }

  /** One that waits, and was not stored for certain, is given back. */
  takeBack(local: number): void {
    const draft = this.#drafts.find((one) => one.local === local && one.refusal === null);
    if (draft !== undefined && isUnstored(draft)) this.#giveBack(draft, TAKEN_BACK);
  }

  /** Goes on sending, where something waits and nothing stands in the way. To be called when that may have changed. */
  go(): void {
    this.#settleAccepted();
    this.#isAsked = true;
    if (this.#isSending) return;
    this.#isSending = true;
    this.#isAsked = false;
    this.#send()
      .catch(this.#needs.failed)
      .finally(() => {
        this.#isSending = false;
        this.#needs.changed();
        // Something came while the last look was over already.
        if (this.#isAsked) this.go();
      });
  }

  async #send(): Promise<void> {
    const { outside, signal } = this.#needs;
    let failures = 0;
    while (!signal.aborted) {
      this.#giveBackHeld();
      const draft = this.#drafts.find(({ seq, refusal }) => seq === null && refusal === null);
      if (draft === undefined || !this.#isReady(draft)) return;
      try {
        const sent = draft.sent ?? this.#seal(draft);
        if (sent === null) continue;
        await this.#post(draft, sent);
        failures = 0;
      } catch (thrown) {
        if (!(thrown instanceof PlaneFailure)) throw thrown;
        draft.isInDoubt = !thrown.isRefusal && (draft.isInDoubt || !thrown.isUnstored);
        // To be sealed anew: at once the first time.
        if (thrown.isRefusal && ((await this.#refused(draft, thrown)) !== "again" || draft.moves < 2))
          continue;
        failures++;
        const pause = pauseMs(failures, thrown.extras.retry_after_s, outside.random());
        draft.failed = { why: delayOf(thrown), until: outside.clock.now() + pause };
        this.#needs.changed();
        await sleep(outside.clock, pause, signal);
        draft.failed = null;
      }
    }
  }

  /** While a person has to decide, or never can, nothing is posted: what was not sent yet is given back, what was is kept. */
  #giveBackHeld(): void {
    const { alarm } = this.#needs.held.seat;
    if (alarm === null || !isHeld(alarm)) return;
    for (const draft of this.#drafts) {
      if (draft.refusal !== null) continue;
      if (draft.seq !== null && alarm.code === "own_record_mismatch") this.#refuse(draft, KEPT_FROM_YOU);
      else if (draft.sent === null) this.#refuse(draft, advice[alarm.code]);
    }
  }

  /** What was sent goes out again first, whatever epoch it is of. */
  #isReady(draft: Draft): boolean {
    const { held } = this.#needs;
    if (isHeld(held.seat.alarm) || held.seat.entry !== "in" || held.seat.token === null) return false;
    if (draft.sent !== null) return true;
    // Its head must cover this participant's own last record, under the epoch it can write in.
    return !held.isMoving && held.transcript.epoch === held.epoch && this.#head() !== null;
  }

  #head() {
    try {
      return this.#needs.held.transcript.headForWriting();
    } catch {
      return null;
    }
  }

  /** Null when it was refused here. */
  #seal(draft: Draft): Sent | null {
    const { held } = this.#needs;
    const { transcript, keys } = held;
    const [head, epochKeys] = [this.#head(), keys.get(transcript.epoch)];
    if (head === null || epochKeys === undefined || !held.mayWrite) return this.#refuse(draft, READ_ONLY);
    if (givesAccess(JSON.stringify(draft.json))) return this.#refuse(draft, ACCESS);
    const id = draft.id ?? drawId<"message">();
    try {
      const sealed = sealMessage(epochKeys, held.me, id, { head, content: draft.json });
      transcript.sending(id, epochKeys.epoch, sealed);
      draft.id = id;
      draft.sent = { id, epoch: epochKeys.epoch, sealed };
    } catch (thrown) {
      if (!(thrown instanceof SealError)) throw thrown;
      return this.#refuse(draft, advice[thrown.code]);
    }
    if (this.#keep()) return draft.sent;
    transcript.withdraw(id);
    draft.sent = null;
    return this.#refuse(draft, NO_ROOM);
  }

  async #post(draft: Draft, sent: Sent): Promise<void> {
    const { plane, withToken, signal } = this.#needs;
    const { content } = draft;
    const request = {
      message_id: sent.id,
      epoch: sent.epoch,
      sealed: toBase64Url(sent.sealed),
      ...(content.signal === undefined ? {} : { signal: content.signal }),
    };
    draft.isOut = true;
    try {
      this.#stored(draft, sent, await withToken((token) => plane.post(token, request, signal)));
    } finally {
      draft.isOut = false;
    }
  }

  /** The record itself comes by the stream, and must be what was sent. */
  #stored(draft: Draft, sent: Sent, { seq, state }: Posted): void {
    const { held, outside, overdue } = this.#needs;
    held.transcript.posted(sent.id, seq);
    draft.seq = seq;
    draft.calm();
    draft.calm = outside.clock.after(OVERDUE_MS, overdue);
    draft.settle(true);
    this.#settleAccepted();
    this.#keep();
    held.hear(state);
  }

  /** Not stored, for certain. `again`: to be sealed anew under the epoch in force, once that is known here; the id stays. */
  async #refused(draft: Draft, failure: PlaneFailure): Promise<"again" | "given_back"> {
    const { held } = this.#needs;
    const { sent } = draft;
    const isMoved = failure.code === "epoch_moved" && sent !== null;
    if (isMoved) {
      if (held.epoch <= sent.epoch) await this.#look();
      draft.moves = held.epoch > sent.epoch ? 0 : draft.moves + 1;
    }
    if (isMoved && draft.moves < MOVES_MAX) {
      draft.sent = null;
      return "again";
    }
    this.#giveBack(draft, isMoved ? NEVER_MOVED : sentenceOf(failure));
    return "given_back";
  }

  #giveBack(draft: Draft, sentence: string): void {
    if (draft.id !== null) this.#needs.held.transcript.withdraw(draft.id);
    draft.sent = null;
    draft.id = null;
    this.#refuse(draft, sentence);
  }

  /** A token of the epoch before is over with it: whoever comes with it is led to the one in force. */
  async #look(): Promise<void> {
    const { held, withToken, plane, signal } = this.#needs;
    try {
      held.hear((await withToken((token) => plane.look(token, signal))).state);
    } catch (thrown) {
      if (!(thrown instanceof PlaneFailure)) throw thrown;
    }
  }

  #refuse(draft: Draft, sentence: string): null {
    draft.refusal = sentence;
    draft.settle(false);
    this.#keep();
    this.#needs.changed();
    return null;
  }

  /** Those whose record is in the transcript now are lines of it. */
  #settleAccepted(): void {
    const { transcript } = this.#needs.held;
    const accepted = this.#drafts.filter(
      ({ id, seq }) =>
        (seq !== null && seq <= transcript.head.seq) || (id !== null && this.#accepted.has(id)),
    );
    for (const draft of accepted) {
      draft.settle(true);
      this.#drop(draft);
    }
  }

  /** A message of one's own came in, before or after its answer. */
  accepted(id: MessageId): void {
    if (this.#drafts.some((draft) => draft.id === id)) this.#accepted.add(id);
  }

  #draft(json: JsonObject, at: number, settle: (isStored: boolean) => void): Draft {
    const local = --this.#lastLocal;
    const content = readContent(json);
    const draft: Draft = {
      local,
      json,
      content,
      at,
      settle,
      id: null,
      sent: null,
      seq: null,
      moves: 0,
      refusal: null,
      isOut: false,
      isInDoubt: false,
      failed: null,
      calm: this.#needs.outside.clock.after(LATE_MS, this.#needs.changed),
    };
    this.#drafts.push(draft);
    return draft;
  }

  #drop(draft: Draft): void {
    draft.calm();
    this.#drafts = this.#drafts.filter((one) => one !== draft);
    this.#keep();
    this.#needs.changed();
  }

  #keep(): boolean {
    const { held } = this.#needs;
    held.seat.drafts = this.#drafts
      .filter(({ seq }) => seq === null)
      .map(({ json, at, refusal, sent }) => ({
        content: json,
        at,
        ...(refusal === null ? {} : { refusal }),
        ...(sent === null
          ? {}
          : { sent: { id: sent.id, epoch: sent.epoch, sealed: toBase64Url(sent.sealed) } }),
      }));
    return held.keep();
  }
}

function whyLate({ seq, isOut, failed }: Draft, isFirst: boolean): string {
  if (seq !== null) return UNSHOWN;
  if (!isFirst) return BEHIND;
  if (isOut) return UNANSWERED;
  return failed?.why ?? OUTSIDE;
}

/** For certain. */
function isUnstored({ seq, isOut, isInDoubt }: Draft): boolean {
  return seq === null && !isOut && !isInDoubt;
}
