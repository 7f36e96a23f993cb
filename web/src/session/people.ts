// Who is in the session: what profiles claim, what the plane says of presence, and what the records tell of comings and
// goings, put together. Pure; names pass names.ts here and nowhere else.
import type { ParticipantRow, Presence } from "../api/types";
import type { ParticipantId, Roster } from "../seal";
import { timeOf } from "./entry";
import type { AgentOrHuman, Author, Person } from "./model";
import { nameTable, shownProgram, unknownName, type NamedAs } from "./names";

/** What authors are told by. */
export interface Standing {
  readonly epoch: number;
  readonly owner: ParticipantId | null;
}

export class People {
  readonly #roster: Roster;
  readonly me: ParticipantId;
  readonly #kinds = new Map<string, AgentOrHuman>();
  #rows = new Map<string, ParticipantRow>();
  #names: ReadonlyMap<string, NamedAs> = new Map();
  #authors = new Map<string, Author>();
  #standing: Standing = { epoch: 0, owner: null };
  #isStale = true;
  #version = 0;

  constructor(roster: Roster, me: ParticipantId) {
    this.#roster = roster;
    this.me = me;
  }

  /** A profile was learned, or an epoch began: names and rights may be others. */
  touch(standing: Standing): void {
    this.#standing = standing;
    this.#isStale = true;
  }

  /** By the plane's word. */
  kindOf(id: string, kind: AgentOrHuman): void {
    if (this.#kinds.get(id) === kind) return;
    this.#kinds.set(id, kind);
    this.#isStale = true;
  }

  setRows(rows: readonly ParticipantRow[]): void {
    // A participant is one row, however often the plane names it.
    this.#rows = new Map(rows.toReversed().map((row) => [row.participant_id, row]));
    for (const { participant_id: id, kind } of rows) this.kindOf(id, kind);
  }

  hear(presences: readonly Presence[]): void {
    for (const presence of presences) {
      const row = this.#rows.get(presence.participant_id);
      if (row !== undefined) this.#rows.set(presence.participant_id, { ...row, ...presence });
    }
  }

  /** Changes whenever an author may be another value than before. */
  version(): number {
    if (this.#isStale) this.#settle();
    return this.#version;
  }

  /** The same value as long as nothing of it changes. */
  author(id: string): Author {
    if (this.#isStale) this.#settle();
    const known = this.#authors.get(id);
    if (known !== undefined) return known;
    const author = this.#describe(id);
    this.#authors.set(id, author);
    return author;
  }

  /** Those who are here first, then by name. `isHere` is what the records tell, null where they don't; `ahead` is how far the
   * plane's clock is ahead of this machine's. */
  list(
    isHere: (id: ParticipantId) => boolean | null,
    confirmed: ReadonlyMap<ParticipantId, number>,
    ahead: number,
  ): readonly Person[] {
    const ids = new Set<string>([this.me, ...this.#rows.keys()]);
    const known = this.#roster.entries().map(([id]) => id);
    for (const id of known) if (isHere(id) === true) ids.add(id);
    const people = [...ids].map((id) => this.#person(id as ParticipantId, isHere, confirmed, ahead));
    return people.sort(
      (a, b) =>
        Number(b.here) - Number(a.here) || Number(b.you) - Number(a.you) || a.name.localeCompare(b.name),
    );
  }

  #person(
    id: ParticipantId,
    isHere: (id: ParticipantId) => boolean | null,
    confirmed: ReadonlyMap<ParticipantId, number>,
    ahead: number,
  ): Person {
    const row = this.#rows.get(id);
    const here = id === this.me || (isHere(id) ?? row?.left_at === undefined);
    const host = this.#roster.get(id)?.members["host"];
    const upTo = confirmed.get(id);
    return {
      ...this.author(id),
      here,
      listening: here && (row?.listening ?? false),
      ...(typeof host === "string" ? { program: shownProgram(host) } : {}),
      ...(row === undefined ? {} : { lastSeen: timeOf(row.last_seen_at) - ahead, readUpTo: row.fetched_seq }),
      ...(upTo === undefined ? {} : { confirmedUpTo: upTo }),
    };
  }

  #settle(): void {
    this.#isStale = false;
    this.#names = nameTable(this.#roster.entries().map(([id, { name }]) => [id, name]));
    const before = this.#authors;
    this.#authors = new Map();
    let hasChanged = false;
    for (const [id, old] of before) {
      const now = this.#describe(id);
      const same = isSame(old, now);
      this.#authors.set(id, same ? old : now);
      hasChanged ||= !same;
    }
    if (hasChanged) this.#version++;
  }

  #describe(id: string): Author {
    const kind = this.#kinds.get(id);
    return {
      id,
      ...(this.#names.get(id) ?? unknownName(id)),
      ...(kind === undefined ? {} : { kind }),
      capability: this.#roster.mayWrite(id as ParticipantId, this.#standing.epoch) ? "full" : "view",
      you: id === this.me,
      owner: id === this.#standing.owner,
    };
  }
}

function isSame(a: Author, b: Author): boolean {
  return (
    a.name === b.name &&
    a.tag === b.tag &&
    a.kind === b.kind &&
    a.capability === b.capability &&
    a.owner === b.owner
  );
}
