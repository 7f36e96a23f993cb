// A seat: one participant of one session, kept in this tab's sessionStorage so that a reload is the same participant (crypto.md
// sections 9.4 and 15). It holds secrets, and nothing else does; nothing of it leaves the tab but by the calls that need it.
import type { KeptTranscript, SessionId } from "../seal";
import {
  fromBase64Url,
  Identity,
  isObject,
  Secret,
  sessionId,
  toBase64Url,
  type Bytes,
  type JsonObject,
  type JsonValue,
  type Link,
  type LinkKind,
  type LinkSecret,
} from "../seal";
import type { Consent } from "./auto";
import type { Alarm } from "./integrity";
import { checkKept, checkProfiles } from "./kept";
import type { Habits } from "./model";
import type { Store } from "./outside";

/** A message that is not in the transcript yet. */
export interface KeptDraft {
  readonly content: JsonObject;
  readonly at: number;
  readonly refusal?: string;
  /** Sealed and perhaps sent: these bytes go out under this id until they are answered. */
  readonly sent?: { readonly id: string; readonly epoch: number; readonly sealed: string };
}

export interface SealedProfile {
  readonly participant: string;
  readonly epoch: number;
  readonly sealed: string;
}

/** How far coming in has got. */
export type Entry = "door" | "asked" | "knocked" | "in";

export interface Kept {
  readonly version: 1;
  readonly session: string;
  readonly secrets: readonly { readonly epoch: number; readonly kind: LinkKind; readonly secret: string }[];
  readonly records: readonly { readonly epoch: number; readonly bytes: string }[];
  readonly profiles: readonly { readonly epoch: number; readonly bytes: string }[];
  readonly keys?: { readonly agreement: string; readonly signing: string };
  readonly name: string;
  readonly entry: Entry;
  readonly token?: string;
  readonly transcript?: KeptTranscript;
  readonly alarm?: Alarm;
  readonly consents: readonly Consent[];
  readonly drafts: readonly KeptDraft[];
  readonly title?: string;
  readonly habits?: Habits;
}

/** Before anything else is chosen. */
export const HABITS: Habits = { enterSends: false, singleKeys: true };

export class Seat {
  readonly session: SessionId;
  readonly #store: Store;
  /** By epoch: of the newest what the link or a re-key gave, of earlier ones the view secret. */
  readonly secrets = new Map<number, LinkSecret>();
  /** As they were checked, from the first epoch on. */
  readonly records = new Map<number, Bytes>();
  /** One's own, sealed: the same bytes again append nothing. */
  readonly profiles = new Map<number, Bytes>();
  me: Identity | null = null;
  name = "";
  entry: Entry = "door";
  token: string | null = null;
  transcript: KeptTranscript | null = null;
  alarm: Alarm | null = null;
  consents: readonly Consent[] = [];
  drafts: readonly KeptDraft[] = [];
  /** As it last opened, to seal it again after an administrator's re-key. */
  title: string | null = null;
  habits: Habits = HABITS;

  /** Nothing is written for it any more. */
  #isForgotten = false;

  private constructor(session: SessionId, store: Store) {
    this.session = session;
    this.#store = store;
  }

  /** At the door with a link. */
  static atTheDoor(link: Link, store: Store): Seat {
    const seat = new Seat(link.session, store);
    seat.secrets.set(link.epoch, { kind: link.kind, secret: link.secret });
    seat.save();
    return seat;
  }

  /** What this tab kept of a session; null when there is nothing, or nothing that this version wrote. */
  static kept(session: SessionId, store: Store): Seat | null {
    const text = store.get(keyOf(session));
    if (text === null) return null;
    try {
      const kept = checkKept(JSON.parse(text));
      return kept.session === session ? Seat.#parsed(kept, store) : null;
    } catch {
      return null;
    }
  }

  static #parsed(kept: Kept, store: Store): Seat {
    const seat = new Seat(sessionId(kept.session), store);
    for (const { epoch, kind, secret } of kept.secrets)
      seat.secrets.set(epoch, { kind, secret: secretOf(secret) });
    for (const { epoch, bytes } of kept.records) seat.records.set(epoch, fromBase64Url(bytes));
    for (const { epoch, bytes } of kept.profiles) seat.profiles.set(epoch, fromBase64Url(bytes));
    const { keys } = kept;
    if (keys !== undefined) {
      seat.me = new Identity(seat.session, secretOf(keys.agreement), secretOf(keys.signing));
    }
    seat.name = kept.name;
    seat.entry = kept.entry;
    seat.token = kept.token ?? null;
    seat.transcript = kept.transcript ?? null;
    seat.alarm = kept.alarm ?? null;
    seat.consents = kept.consents;
    seat.drafts = kept.drafts;
    seat.title = kept.title ?? null;
    seat.habits = kept.habits ?? seat.habits;
    return seat;
  }

  /** The newest epoch a secret is held of. */
  get newestEpoch(): number {
    return Math.max(0, ...this.secrets.keys());
  }

  /** False when the store has no room: then nothing may be sent that has to be kept first. */
  save(): boolean {
    if (this.#isForgotten) return false;
    const keys = this.me?.kept();
    const kept: Kept = {
      version: 1,
      session: this.session,
      secrets: [...this.secrets].map(([epoch, { kind, secret }]) => ({
        epoch,
        kind,
        secret: textOf(secret),
      })),
      records: [...this.records].map(([epoch, bytes]) => ({ epoch, bytes: toBase64Url(bytes) })),
      profiles: [...this.profiles].map(([epoch, bytes]) => ({ epoch, bytes: toBase64Url(bytes) })),
      ...(keys === undefined
        ? {}
        : { keys: { agreement: textOf(keys.agreement), signing: textOf(keys.signing) } }),
      name: this.name,
      entry: this.entry,
      ...(this.token === null ? {} : { token: this.token }),
      ...(this.transcript === null ? {} : { transcript: this.transcript }),
      ...(this.alarm === null ? {} : { alarm: this.alarm }),
      consents: this.consents,
      drafts: this.drafts,
      ...(this.title === null ? {} : { title: this.title }),
      habits: this.habits,
    };
    return this.#store.set(keyOf(this.session), JSON.stringify(kept));
  }

  /** The profiles of others learned so far, apart from the rest, which is written more often. */
  learnedProfiles(): readonly SealedProfile[] {
    try {
      return checkProfiles(JSON.parse(this.#store.get(peopleKeyOf(this.session)) ?? "[]"));
    } catch {
      return [];
    }
  }

  /** They can be had again, so a store without room for them is no failure. */
  keepProfiles(profiles: readonly SealedProfile[]): void {
    if (!this.#isForgotten) this.#store.set(peopleKeyOf(this.session), JSON.stringify(profiles));
  }

  /** What is being written, apart from the rest too. One without room for it loses it at a reload and not before. */
  written(): JsonObject | null {
    try {
      const kept = JSON.parse(this.#store.get(writtenKeyOf(this.session)) ?? "null") as JsonValue;
      return isObject(kept) ? kept : null;
    } catch {
      return null;
    }
  }

  keepWritten(written: JsonObject | null): void {
    if (this.#isForgotten) return;
    const key = writtenKeyOf(this.session);
    // What can't be kept must not leave an older one behind.
    if (written === null || !this.#store.set(key, JSON.stringify(written))) this.#store.remove(key);
  }

  /** Forgets the participant and keeps the newest link: somebody else can join with it. Habits are the tab's, and stay. */
  asAnother(): Seat {
    const fresh = new Seat(this.session, this.#store);
    const secret = this.secrets.get(this.newestEpoch);
    if (secret !== undefined) fresh.secrets.set(this.newestEpoch, secret);
    fresh.habits = this.habits;
    this.#isForgotten = true;
    this.#store.remove(peopleKeyOf(this.session));
    this.#store.remove(writtenKeyOf(this.session));
    fresh.save();
    return fresh;
  }
}

function keyOf(session: SessionId): string {
  return `devpilot-session.${session}`;
}

function peopleKeyOf(session: SessionId): string {
  return `${keyOf(session)}.people`;
}

function writtenKeyOf(session: SessionId): string {
  return `${keyOf(session)}.written`;
}

function secretOf(text: string): Secret {
  return new Secret(fromBase64Url(text));
}

function textOf(secret: Secret): string {
  return toBase64Url(secret.expose());
}
