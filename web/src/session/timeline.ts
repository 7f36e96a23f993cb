// The transcript as lines: what was accepted, in order, with names put to it and made safe to show. Pure. Each record is made
// safe once; lines are told again only when somebody is called otherwise.
import { advice, type ParticipantId } from "../seal";
import { Comings } from "./comings";
import type { Entry, What } from "./entry";
import type { Author, Item, MessageItem } from "./model";
import { shown, shownKind, shownLine } from "./shown";
import { messages, tell } from "./wording";

/** How people are called, and when that changes. */
export interface Cast {
  version(): number;
  author(id: string): Author;
  /** The reader. */
  readonly me: string;
}

type Posted = Extract<What, { type: "message" }>;

/** What of a message is the same whoever reads it. */
type Prepared = Pick<MessageItem, "text" | "hidden" | "messageKind" | "topic" | "paths" | "morePaths"> & {
  /** Ids. */
  readonly to: readonly string[];
  readonly moreTo?: number;
};

/** How many paths of a message, and how many it is for, are made safe and shown; a message has room for ten thousands. */
const LISTED_MAX = 20;

const SIGNAL_DIFFERS = "The server was told another signal than its author signed. The author's counts.";
const UNCHECKED = "Its author's history lies before what was checked here.";

export class Timeline {
  readonly #cast: Cast;
  #entries: Entry[] = [];
  #prepared: (Prepared | null)[] = [];
  /** What stands before the first record, when that is not the first of the session. */
  #gone: Item | null = null;
  #comings = new Comings();
  #items: Item[] = [];
  #authors = new Map<number, string>();
  /** Where the row of messages that can't be read stands, as long as no other message came. */
  #closedAt: number | null = null;
  #closedCount = 0;
  #told = 0;
  #version = -1;
  #frozen: readonly Item[] | null = null;

  constructor(cast: Cast) {
    this.#cast = cast;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    this.#prepared.push(entry.what.type === "message" ? prepare(entry.what) : null);
  }

  /** Begins anew after a seq: what was before is evicted. */
  startAfter(seq: number): void {
    this.#entries = [];
    this.#prepared = [];
    const text = `What came before is no longer kept by the server. This page begins at record ${String(seq + 1)}.`;
    this.#gone = seq === 0 ? null : { kind: "gap", seq: 1, until: seq, text };
    this.#version = -1;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** As the records tell; null where they don't. */
  isHere(who: ParticipantId): boolean | null {
    this.items();
    return this.#comings.isHere(who);
  }

  authorAt(seq: number): string | undefined {
    this.items();
    return this.#authors.get(seq);
  }

  /** The same array as long as nothing changed. */
  items(): readonly Item[] {
    const version = this.#cast.version();
    if (version !== this.#version) this.#beginTelling(version);
    if (this.#told === this.#entries.length && this.#frozen !== null) return this.#frozen;
    for (; this.#told < this.#entries.length; this.#told++) {
      const entry = this.#entries[this.#told];
      if (entry !== undefined) this.#tell(entry, this.#prepared[this.#told] ?? null);
    }
    this.#frozen = [...this.#items];
    return this.#frozen;
  }

  #beginTelling(version: number): void {
    this.#version = version;
    this.#comings = new Comings();
    this.#items = this.#gone === null ? [] : [this.#gone];
    this.#authors = new Map();
    this.#closedAt = null;
    this.#told = 0;
    this.#frozen = null;
  }

  #tell(entry: Entry, prepared: Prepared | null): void {
    const coming = this.#comings.add(entry);
    const { what, seq, at } = entry;
    switch (what.type) {
      case "message":
        this.#authors.set(seq, what.author);
        this.#closedAt = null;
        if (prepared !== null) this.#items.push(this.#message(entry, what, prepared));
        return;
      case "unreadable": {
        const author = this.#cast.author(what.author);
        this.#closedAt = null;
        this.#items.push({ kind: "unreadable", seq, at, author, why: advice[what.code], code: what.code });
        return;
      }
      case "closed":
        this.#closed(seq);
        return;
      default: {
        const told = tell(entry, coming, (who) => quoted(this.#cast.author(who)));
        if (told !== null) this.#items.push({ kind: "event", seq, at, ...told });
      }
    }
  }

  #message({ seq, at }: Entry, what: Posted, prepared: Prepared): MessageItem {
    const { content } = what;
    const author = this.#cast.author(what.author);
    const { replyTo, signal } = content;
    return {
      kind: "message",
      seq,
      at,
      author,
      ...prepared,
      ...(replyTo === undefined ? {} : { replyTo }),
      to: prepared.to.map((id) => this.#cast.author(id)),
      mentionsYou: !author.you && this.#isForYou(what, prepared.text),
      pinned: content.pinned,
      ...(signal === undefined ? {} : { signal }),
      ...remarkOn(what),
    };
  }

  /** Addressed, answered, or named in the text. */
  #isForYou({ content }: Posted, text: string): boolean {
    const answered = content.replyTo === undefined ? undefined : this.#authors.get(content.replyTo);
    if (content.to.includes(this.#cast.me)) return true;
    if (answered !== undefined && this.#cast.author(answered).you) return true;
    if (!text.includes("@")) return false;
    const plain = text.toLowerCase();
    return this.#ownNames().some((name) => plain.includes(`@${name}`));
  }

  #ownNames(): readonly string[] {
    const me = this.#cast.author(this.#cast.me);
    return [me.name.toLowerCase(), me.id.slice(0, 8)].filter((name) => name !== "");
  }

  /** Rows of messages that can't be read are one line. */
  #closed(seq: number): void {
    const before = this.#closedAt === null ? undefined : this.#items[this.#closedAt];
    const count = this.#closedCount + 1;
    if (before?.kind === "gap" && this.#closedAt !== null) {
      this.#items[this.#closedAt] = { ...before, until: seq, text: closedText(count) };
      this.#closedCount = count;
      return;
    }
    this.#closedCount = 1;
    this.#closedAt = this.#items.push({ kind: "gap", seq, until: seq, text: closedText(1) }) - 1;
  }
}

function closedText(count: number): string {
  return `${messages(count)} can't be read with this link: written before a re-key, under keys that it does not open.`;
}

function prepare({ content }: Posted): Prepared {
  const text = shown(content.text);
  const paths = content.paths.slice(0, LISTED_MAX);
  const to = content.to.filter(isId);
  const [morePaths, moreTo] = [content.paths.length - paths.length, Math.max(0, to.length - LISTED_MAX)];
  const lines = [content.kind, content.topic ?? "", ...paths];
  const topic = content.topic === undefined ? "" : shownLine(content.topic);
  return {
    text: text.text,
    hidden: text.hidden + lines.reduce((sum, line) => sum + shown(line).hidden, 0),
    messageKind: shownKind(content.kind),
    ...(topic === "" ? {} : { topic }),
    paths: paths.map(shownLine),
    ...(morePaths === 0 ? {} : { morePaths }),
    to: to.slice(0, LISTED_MAX),
    ...(moreTo === 0 ? {} : { moreTo }),
  };
}

function remarkOn({ standing, signalDiffers }: Posted): Pick<MessageItem, "remark" | "problem"> {
  if (standing.type === "differs") return { remark: advice[standing.code], problem: standing.code };
  if (signalDiffers) return { remark: SIGNAL_DIFFERS, problem: "signal_differs" };
  return standing.type === "unchecked" ? { remark: UNCHECKED, problem: "unchecked" } : {};
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function isId(text: string): boolean {
  return UUID.test(text);
}

/** In a sentence: a name is somebody's claim. */
export function quoted({ name, tag }: Author): string {
  return tag === undefined ? `"${name}"` : `"${name}" #${tag}`;
}
