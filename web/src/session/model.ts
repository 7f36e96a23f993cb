// What the page shows and may ask for, as plain values: the only thing src/page knows of a session. No I/O, no keys, no
// tokens: nothing here may hold a secret. Made by session.ts, drawn by src/page.

/** Where the visitor stands. Each of the closed ones is a page of its own. */
export type Phase =
  /** The link was read; the visitor picks a name and joins, or looks on by a view link. */
  | { kind: "door"; capability: "full" | "view"; knocks: boolean }
  | { kind: "entering" }
  /** Asked to be let in; a participant decides. */
  | { kind: "knocking"; since: number }
  | { kind: "seated" }
  | { kind: "closed"; why: ClosedWhy; detail?: string };

/** Why there is no seat. `damaged`, `truncated`, `exposed` and `no_link` are told from the link alone. */
export type ClosedWhy =
  | "no_link"
  | "damaged"
  | "truncated"
  | "exposed"
  | "insecure"
  | "version"
  | "rekeyed"
  | "door_closed"
  | "refused"
  | "full"
  | "ended"
  | "expired"
  | "gone"
  | "removed"
  | "elsewhere"
  | "altered"
  | "unreachable";

/** How live the transcript is. */
export type Connection = "live" | "connecting" | "waiting" | "stopped";

export type AgentOrHuman = "agent" | "human";

export interface Person {
  id: string;
  /** As shown: hidden characters stripped, at most 64 characters; told apart from look-alikes by `tag`. */
  name: string;
  /** The first symbols of the id, shown where two names look alike. */
  tag?: string;
  kind: AgentOrHuman;
  capability: "full" | "view";
  you: boolean;
  owner: boolean;
  here: boolean;
  listening: boolean;
  /** Milliseconds since the epoch, as the plane said. */
  lastSeen?: number;
  /** The highest seq they fetched. */
  readUpTo?: number;
}

export type MessageKind = "message" | "question" | "answer" | "handoff" | "status" | "decision" | "note" | "claim";

/** One line of the transcript, in order of seq. */
export type Item =
  | {
      kind: "message";
      seq: number;
      at: number;
      author: Person;
      text: string;
      /** As the author named it; unknown kinds are shown as `message` with their word in `label`. */
      messageKind: string;
      topic?: string;
      replyTo?: number;
      to: readonly Person[];
      mentionsYou: boolean;
      paths: readonly string[];
      signal?: "continue" | "done" | "blocked";
      /** Sent from this page and not acknowledged yet, or refused. */
      pending?: "sending" | "failed";
    }
  /** A message that could not be opened or whose author did not sign it. */
  | { kind: "unreadable"; seq: number; at: number; author?: Person; why: string }
  /** The plane's own words: modes, joins, ends, in a plain sentence. */
  | { kind: "event"; seq: number; at: number; text: string; tone: "plain" | "warning" }
  /** What came before can't be read: written under keys this link doesn't open, or no longer kept. */
  | { kind: "gap"; seq: number; text: string };

export interface Mode {
  name: "observe" | "relay" | "auto";
  /** In auto. */
  goal?: string;
  budget?: number;
  budgetLeft?: number;
  /** When auto ends, in milliseconds since the epoch by this machine's clock, corrected for the plane's. */
  endsAt?: number;
  ttlMs?: number;
  accepted: readonly Person[];
  youAccepted: boolean;
}

export interface Proposal {
  id: string;
  by: Person;
  yours: boolean;
  goal?: string;
  budget: number;
  ttlMs: number;
  lapsesAt: number;
}

/** Somebody who asks to be let in. */
export interface Knock {
  id: string;
  name: string;
  kind: AgentOrHuman;
  since: number;
}

/** `sentence` is for the person; `detail` is the code of crypto.md section 14. */
export interface Integrity {
  state: "whole" | "warning" | "broken";
  sentence: string;
  detail?: string;
  seq?: number;
  /** The last agreed head, four hex digits a group, to be compared by voice. */
  head?: string;
}

/** What one look at the session shows; replaced as a whole, never changed in place. */
export interface View {
  phase: Phase;
  connection: Connection;
  /** When the next try is, while waiting. */
  retryAt?: number;
  title?: string;
  me?: Person;
  canWrite: boolean;
  people: readonly Person[];
  items: readonly Item[];
  /** Older records are still being fetched or opened: how many of how many. */
  loading?: { done: number; total: number };
  mode: Mode;
  proposal?: Proposal;
  knocks: readonly Knock[];
  integrity: Integrity;
  /** A sentence about the last thing that was asked for and refused. */
  trouble?: string;
  epoch: number;
  expiresAt?: number;
}

export interface NewMessage {
  text: string;
  kind?: string;
  topic?: string;
  replyTo?: number;
  to?: readonly string[];
}

/** What the page may ask for. Each settles when the plane answered; what is refused is a sentence in `View.trouble`. */
export interface Session {
  readonly view: View;
  /** Calls back at once and after each change; returns what ends it. */
  subscribe(listener: (view: View) => void): () => void;
  join(name: string): Promise<void>;
  post(message: NewMessage): Promise<boolean>;
  retry(seq: number): Promise<void>;
  discard(seq: number): void;
  setMode(name: "observe" | "relay"): Promise<void>;
  propose(goal: string, budget: number, ttlMs: number): Promise<void>;
  accept(): Promise<void>;
  decline(): Promise<void>;
  stop(): Promise<void>;
  admit(knock: string, yes: boolean): Promise<void>;
  leave(): Promise<void>;
  /** The note that hands the link on to an agent; made only when asked for, and never kept. */
  note(): string;
  /** The link itself, for the QR code; the same. */
  link(): string;
  /** Markdown or JSON of what was verified here. */
  export(format: "markdown" | "json"): string;
  /** Ends timers and the stream, for a page that goes. */
  close(): void;
}
