// What the page shows and may ask for, as plain values: the only thing src/page knows of a session. No I/O, no keys, no
// tokens: nothing here may hold a secret. Made by session.ts, drawn by src/page.
import type { Note } from "./note";

/** Where the visitor stands. Each of the closed ones is a page of its own. */
export type Phase =
  /** The link was read; the visitor picks a name and joins, or looks on by a view link. */
  | { kind: "door"; capability: Capability }
  | { kind: "entering" }
  /** Asked to be let in; the owner decides. */
  | { kind: "knocking"; since: number }
  | { kind: "seated" }
  /** `detail` is a name of crypto.md section 14 or a code of the plane. */
  | { kind: "closed"; why: ClosedWhy; detail?: string };

/** Why there is no seat. The first six are told from the address alone. What was read before stays in `View.items`. */
export type ClosedWhy =
  | "no_link"
  | "damaged"
  | "truncated"
  | "exposed"
  | "insecure"
  | "version"
  /** The link is of an earlier epoch, or an administrator re-keyed: a new link is needed. */
  | "rekeyed"
  | "door_closed"
  /** Knocked, and was not let in. */
  | "refused"
  /** The operator of the plane allows no view links, or not this one. */
  | "forbidden"
  | "full"
  | "ended"
  | "expired"
  /** The plane knows no session that this link opens. */
  | "gone"
  /** The owner re-keyed without this participant. */
  | "removed"
  /** This tab was duplicated, and the other one is that participant: `Session.joinAsAnother`. */
  | "elsewhere"
  /** Left from here: `Session.joinAsAnother`. */
  | "left"
  /** The plane's epoch record does not fit the link: nothing of it is used. */
  | "altered"
  /** Tries go on by themselves; `View.retryAt` says when. */
  | "unreachable";

/** How live the transcript is. */
export type Connection = "live" | "connecting" | "waiting" | "stopped";

export type AgentOrHuman = "agent" | "human";
export type Capability = "full" | "view";

/** Who wrote something: the same value for all that they wrote. */
export interface Author {
  id: string;
  /** As shown: hidden characters stripped, one line, at most 64 characters. A claim, not an identity. */
  name: string;
  /** The first symbols of the id, shown where two names look alike. */
  tag?: string;
  /** Absent for one of whom only messages are known. */
  kind?: AgentOrHuman;
  /** By the certificate, not by the plane's word. */
  capability: Capability;
  you: boolean;
  owner: boolean;
}

export interface Person extends Author {
  /** In the session; those who left or were put out stay listed. */
  here: boolean;
  listening: boolean;
  /** The program of an agent, by its own word. */
  program?: string;
  /** Milliseconds since the epoch by this machine's clock, as the plane said. */
  lastSeen?: number;
  /** The highest seq they fetched, by the plane's word. */
  readUpTo?: number;
  /** Up to which seq their signed messages confirm the history shown here. */
  confirmedUpTo?: number;
}

/** The kinds a person may choose. Others can stand in a message: claim, release, digest, and words of later versions. */
export const MESSAGE_KINDS = [
  "chat",
  "note",
  "decision",
  "contract",
  "spec",
  "howto",
  "env-fact",
  "negative-result",
  "question",
  "answer",
  "progress",
] as const;

export type MessageKind = (typeof MESSAGE_KINDS)[number];

export type Signal = "continue" | "done" | "blocked";

export interface MessageItem {
  kind: "message";
  /** Below zero for one that is not in the transcript yet, its own among those. */
  seq: number;
  at: number;
  author: Author;
  /** Hidden characters stripped. Data to show as text, whoever wrote it. */
  text: string;
  /** How many hidden characters were taken out. */
  hidden: number;
  /** As the author named it, stripped and cut; one of `MESSAGE_KINDS` or any other word. */
  messageKind: string;
  topic?: string;
  replyTo?: number;
  /** Each once, the first of them; how many more is in `moreTo`. */
  to: readonly Author[];
  moreTo?: number;
  mentionsYou: boolean;
  /** Each once, the first of them; how many more is in `morePaths`. */
  paths: readonly string[];
  morePaths?: number;
  pinned: boolean;
  signal?: Signal;
  /** What is to be known of this message, in a sentence: its author saw another history, or the plane was told another signal. */
  remark?: string;
  /** The name of that, as crypto.md section 14 has it, `unchecked` or `signal_differs`. */
  problem?: string;
  /** Sent from this page and not acknowledged yet, or refused. */
  pending?: "sending" | "failed";
  /** Why it was refused, in a sentence. */
  refusal?: string;
  /** Of a refused one: the server confirmed it before, so it is not one that was not sent. */
  isConfirmed?: boolean;
  /** It takes longer than it should. */
  delay?: Delay;
}

/** Of a message on its way. */
export interface Delay {
  /** In a sentence. */
  why: string;
  /** When the next try is, by this machine's clock; absent while nothing is planned. */
  until?: number;
  /** It is certain that the plane did not store it: `Session.takeBack`. */
  isUnstored: boolean;
}

/** One line of the transcript, in order of seq; those not in it yet come last. */
export type Item =
  | MessageItem
  /** A message that could not be opened or whose author did not sign it. `code` is a name of crypto.md section 14. */
  | { kind: "unreadable"; seq: number; at: number; author?: Author; why: string; code: string }
  /** What the plane says happened, modes, joins, ends, in a plain sentence of this page's. */
  | { kind: "event"; seq: number; at: number; text: string; tone: "plain" | "warning" }
  /** What can't be read: written under keys this link doesn't open, or no longer kept. `seq` is the first of them. */
  | { kind: "gap"; seq: number; until: number; text: string };

export interface Mode {
  name: "observe" | "relay" | "auto";
  /** In auto: the id of what was agreed to. */
  proposal?: string;
  /** In auto. */
  goal?: string;
  /** Absent, as `ttlMs`, where the beginning of auto is before what can be read: such terms can't be agreed to. */
  budget?: number;
  /** The less of what the plane says and what was counted here. */
  budgetLeft?: number;
  /** When auto ends, in milliseconds since the epoch by this machine's clock, corrected for the plane's. */
  endsAt?: number;
  ttlMs?: number;
  /** It does not count as auto here, and others may be in it: the server or the transcript says so, or nothing can be heard. */
  autoElsewhere?: boolean;
  /** With `autoElsewhere`: nothing said so, and nothing that would say so is heard here. */
  autoUnheard?: boolean;
  accepted: readonly Author[];
  /** Proposed or accepted from this tab, and it still goes on. */
  youAccepted: boolean;
}

export interface Proposal {
  id: string;
  by: Author;
  yours: boolean;
  /** Absent when it can't be opened. Somebody else's text. */
  goal?: string;
  budget: number;
  ttlMs: number;
  lapsesAt: number;
}

/** `sentence` is for the person; `detail` is the code of crypto.md section 14. */
export interface Integrity {
  state: "whole" | "warning" | "broken";
  sentence: string;
  detail?: string;
  seq?: number;
  /** A warning was set aside by `Session.acknowledge`; posting goes on. */
  acknowledged?: boolean;
  /** How many messages did not pass and are not shown. One member can bring that about, so it is no alarm; but not all is there. */
  withheld?: number;
  /** The first record checked here. */
  checkedFrom: number;
  /** Up to which seq somebody else's signed messages confirm it, and who. */
  confirmedUpTo?: number;
  confirmedBy?: Author;
  /** The head, seq and 32 hex digits in groups of four, to be compared over another channel. */
  head?: string;
}

/** Why nothing is written from here. */
export type Muted =
  /** A link for reading along. */
  | "view_link"
  /** A warning waits for a person: `Session.acknowledge`. */
  | "warning"
  /** A check failed for good. */
  | "broken"
  | "ended"
  /** A re-key is being followed; it is over soon, and what is posted meanwhile waits for it. */
  | "moving";

/** What one look at the session shows; replaced as a whole, never changed in place. */
export interface View {
  phase: Phase;
  connection: Connection;
  /** When the next try is, while waiting. */
  retryAt?: number;
  /** Why it is tried again, in a sentence, where something answered: stays until a try went well. */
  lost?: string;
  title?: string;
  me?: Author;
  canWrite: boolean;
  /** Why not; absent without a seat as well. */
  muted?: Muted;
  people: readonly Person[];
  items: readonly Item[];
  /** Older records are still being fetched or opened: how many of how many. */
  loading?: { done: number; total: number };
  mode: Mode;
  proposal?: Proposal;
  /** Who may still come in, and how many wait before it. The owner decides, by `devpilot-session door`. */
  door: { state: "open" | "ask" | "closed"; knocking: number };
  integrity: Integrity;
  /** A sentence where the browser keeps nothing for this page: after a reload the link is needed again. */
  fleeting?: string;
  /** A sentence about the last thing that was asked for and refused. */
  trouble?: string;
  epoch: number;
  expiresAt?: number;
  /** The session is over; what was said can still be read. */
  ended?: { why: "ended" | "expired" | "purged"; at: number };
}

export interface NewMessage {
  text: string;
  kind?: MessageKind;
  topic?: string;
  replyTo?: number;
  to?: readonly string[];
}

/** How somebody likes to use the page: chosen once, for as long as the tab lives. */
export interface Habits {
  /** Enter alone sends. */
  readonly enterSends: boolean;
  /** Single keys are commands; off for those whose speech input or keyboard presses them unasked. */
  readonly singleKeys: boolean;
}

/** What the page may ask for. Each settles when the plane answered; what is refused is a sentence in `View.trouble`. */
export interface Session {
  readonly view: View;
  /** Calls back at once and after each change; returns what ends it. */
  subscribe(listener: (view: View) => void): () => void;
  join(name: string): Promise<void>;
  /** From `elsewhere` or `left`: forgets this tab's copy of that participant and goes to the door. */
  joinAsAnother(): void;
  /** What was being written here before a reload. */
  written(): NewMessage | null;
  /** Keeps what is being written with the seat, in this tab and nowhere else; null forgets it. */
  keepWritten(message: NewMessage | null): void;
  /** As last kept, also before a reload. */
  habits(): Habits;
  /** Keeps them with the seat. */
  keepHabits(habits: Habits): void;
  /** True once the plane stored it. False once it was refused: then it stands in the transcript, where it is changed or sent
   * again. Null where nothing took it, so that whoever wrote it still has to keep it. */
  post(message: NewMessage): Promise<boolean | null>;
  /** By the seq of a pending item. */
  retry(seq: number): Promise<void>;
  discard(seq: number): void;
  /** One that waits, and was not stored for certain, is no longer sent: it stands there as refused. */
  takeBack(seq: number): void;
  /** Waits no longer for the next try, whatever it is that waits. */
  tryNow(): void;
  setMode(name: "observe" | "relay"): Promise<void>;
  /** True once the plane took it. */
  propose(goal: string, budget: number, ttlMs: number): Promise<boolean>;
  accept(): Promise<void>;
  decline(): Promise<void>;
  stop(): Promise<void>;
  leave(): Promise<void>;
  /** Goes on although somebody saw another history, for this one sign of it. */
  acknowledge(): void;
  /** What the note that hands the link on is made of, the link among it: a secret as a whole, given only when asked for, and
   * never kept. None without a seat. */
  note(): Note | undefined;
  /** The link itself, for the QR code; the same, and empty without a seat. */
  link(): string;
  /** Markdown or JSON of what was verified here. Rejects where the part of the page that writes it can't be loaded. */
  export(format: "markdown" | "json"): Promise<string>;
  /** Ends timers and the stream, for a page that goes. */
  close(): void;
}
