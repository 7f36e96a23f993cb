// A session made by hand, for tests of what the page draws of one and asks of one. Nothing of src/session but its contract.
import type {
  Habits,
  Item,
  MessageItem,
  Mode,
  NewMessage,
  Person,
  Proposal,
  Session,
  View,
} from "../../../src/session/model";
import type { Note } from "../../../src/session/note";

export const NOW = Date.UTC(2026, 10, 30, 14, 5, 0);

export function person(name: string, more: Partial<Person> = {}): Person {
  return {
    id: `id-${name}`,
    name,
    kind: "human",
    capability: "full",
    you: false,
    owner: false,
    here: true,
    listening: false,
    ...more,
  };
}

export const ME = person("Sam", { you: true });
export const ANA = person("Ana Ferreira", { owner: true, lastSeen: NOW - 60_000, readUpTo: 6 });
export const BOT = person("Ana's Claude", {
  kind: "agent",
  listening: true,
  program: "Claude Code 2.1",
  readUpTo: 7,
});

export function message(seq: number, text: string, more: Partial<MessageItem> = {}): MessageItem {
  return {
    kind: "message",
    seq,
    at: NOW - 3_600_000 + seq * 60_000,
    author: ANA,
    text,
    hidden: 0,
    messageKind: "chat",
    to: [],
    mentionsYou: false,
    paths: [],
    pinned: false,
    ...more,
  };
}

export const OBSERVE: Mode = { name: "observe", accepted: [], youAccepted: false };

export function auto(more: Partial<Mode> = {}): Mode {
  return {
    name: "auto",
    goal: "Find out why the nightly export misses rows, and fix it.",
    budget: 20,
    budgetLeft: 13,
    endsAt: NOW + 17 * 60_000 + 5_000,
    ttlMs: 30 * 60_000,
    accepted: [ANA, BOT],
    youAccepted: false,
    ...more,
  };
}

export function proposal(more: Partial<Proposal> = {}): Proposal {
  return {
    id: "p1",
    by: ANA,
    yours: false,
    goal: "Fix the export.",
    budget: 20,
    ttlMs: 1_800_000,
    lapsesAt: NOW + 9 * 60_000,
    ...more,
  };
}

export function view(more: Partial<View> = {}): View {
  return {
    phase: { kind: "seated" },
    connection: "live",
    title: "Nightly export misses rows",
    me: ME,
    canWrite: true,
    people: [ME, ANA, BOT],
    items: [],
    mode: OBSERVE,
    door: { state: "open", knocking: 0 },
    integrity: {
      state: "whole",
      sentence: "Every message is signed and in its place.",
      checkedFrom: 1,
      confirmedUpTo: 6,
      confirmedBy: ANA,
      head: "7 · 3f9a 11c0 77de 0b42 9a5e c1d2 8846 f00d",
    },
    epoch: 1,
    expiresAt: NOW + 29 * 86_400_000,
    ...more,
  };
}

/** Records what is asked for; its view is set by the test. */
export class Double implements Session {
  readonly asked: (readonly unknown[])[] = [];
  /** What `post` answers. */
  stored: boolean | null = true;
  #view: View;
  readonly #listeners = new Set<(view: View) => void>();

  constructor(more: Partial<View> = {}) {
    this.#view = view(more);
  }

  get view(): View {
    return this.#view;
  }

  show(more: Partial<View>): void {
    this.replace({ ...this.#view, ...more });
  }

  replace(view: View): void {
    this.#view = view;
    for (const listener of this.#listeners) listener(this.#view);
  }

  add(...items: Item[]): void {
    this.show({ items: [...this.#view.items, ...items] });
  }

  /** The last of what was loading. */
  finish(...items: Item[]): void {
    const { loading: _, ...loaded } = this.#view;
    this.#view = loaded;
    this.add(...items);
  }

  subscribe(listener: (view: View) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#view);
    return () => this.#listeners.delete(listener);
  }

  #ask(...what: readonly unknown[]): Promise<void> {
    this.asked.push(what);
    return Promise.resolve();
  }

  join = (name: string) => this.#ask("join", name);
  joinAsAnother = () => void this.#ask("joinAsAnother");
  /** What a reload finds. */
  kept: NewMessage | null = null;
  written = () => this.kept;
  keepWritten = (message: NewMessage | null) => void (this.kept = message);
  chosen: Habits = { enterSends: false, singleKeys: true };
  habits = () => this.chosen;
  keepHabits = (habits: Habits) => void (this.chosen = habits);
  post = async (message: NewMessage) => {
    await this.#ask("post", message);
    return this.stored;
  };
  retry = (seq: number) => this.#ask("retry", seq);
  takeBack = (seq: number) => void this.#ask("takeBack", seq);
  tryNow = () => void this.#ask("tryNow");
  discard = (seq: number) => void this.#ask("discard", seq);
  setMode = (name: "observe" | "relay") => this.#ask("setMode", name);
  /** What `propose` is refused for; nothing where it is taken. */
  refusal: string | undefined;
  propose = async (goal: string, budget: number, ttlMs: number) => {
    await this.#ask("propose", goal, budget, ttlMs);
    if (this.refusal !== undefined) this.show({ trouble: this.refusal });
    return this.refusal === undefined;
  };
  accept = () => this.#ask("accept");
  decline = () => this.#ask("decline");
  stop = () => this.#ask("stop");
  leave = () => this.#ask("leave");
  acknowledge = () => void this.#ask("acknowledge");
  link = () => `https://plane.example/s/${"0".repeat(32)}#${"x".repeat(68)}`;
  note = (): Note | undefined => ({
    from: "Sam",
    title: "Nightly export misses rows",
    expiresAt: NOW,
    origin: "https://plane.example",
    viewOnly: false,
    link: this.link(),
  });
  export = (format: "markdown" | "json") => Promise.resolve(`an export as ${format}`);
  close = () => void this.#ask("close");
}
