// The transcript as one document, Markdown for people or JSON for programs, of what was verified here and in the form of the
// installed client's `export`. What participants wrote stands in fenced blocks that it can't leave. Pure; no link, key or
// token is in it.
import type { Author, Integrity, Item, MessageItem } from "./model";
import { withheld } from "./shown";

export interface Exported {
  readonly session: string;
  readonly title: string;
  readonly origin: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly by: Author;
  readonly headSeq: number;
  /** 32 hex digits in groups of four. */
  readonly headHash: string;
  readonly integrity: Integrity;
  readonly participants: readonly Author[];
  /** Those in the transcript. */
  readonly items: readonly Item[];
}

const FENCE = 3;

export function asJson(exported: Exported): string {
  const head = {
    format: "devpilot-session-transcript",
    version: 1,
    session: exported.session,
    title: exported.title,
    plane: exported.origin,
    exported_at: new Date(exported.at).toISOString(),
    exported_by: authorOf(exported.by),
    since: 0,
    head_seq: exported.headSeq,
    head_hash: exported.headHash,
    integrity: integrityOf(exported.integrity),
    participants: exported.participants.map(authorOf),
    warnings: [],
  };
  const open = JSON.stringify(head).slice(0, -1);
  const records = exported.items.map((item) => JSON.stringify(recordOf(item)));
  return withheld(`${open},"records":[${records.map((record) => `\n${record}`).join(",")}\n]}\n`);
}

function authorOf(author: Author): { id: string; name: string } {
  return { id: author.id, name: calledAs(author) };
}

function calledAs({ name, tag }: Author): string {
  return tag === undefined ? name : `${name} #${tag}`;
}

function integrityOf(integrity: Integrity) {
  const { confirmedUpTo, confirmedBy } = integrity;
  return {
    state: { whole: "ok", warning: "warning", broken: "failed" }[integrity.state],
    error: integrity.detail,
    detail: integrity.sentence,
    checked_from: integrity.checkedFrom,
    confirmed_up_to: confirmedUpTo,
    confirmed_by: confirmedBy === undefined ? undefined : calledAs(confirmedBy),
  };
}

/** Members that are absent are left out by JSON. */
function recordOf(item: Item): object {
  switch (item.kind) {
    case "message":
      return {
        type: "message",
        ...fromOf(item.seq, item.at, item.author),
        kind: item.messageKind,
        text: item.text,
        topic: item.topic,
        to: item.to.length === 0 ? undefined : item.to.map(({ id }) => id),
        more_to: item.moreTo,
        reply_to: item.replyTo,
        paths: item.paths.length === 0 ? undefined : item.paths,
        more_paths: item.morePaths,
        pin: item.pinned ? true : undefined,
        signal: item.signal,
        hidden_removed: item.hidden === 0 ? undefined : item.hidden,
        problem: item.problem,
      };
    case "unreadable":
      return {
        type: "message",
        ...fromOf(item.seq, item.at, item.author),
        kind: "unreadable",
        problem: item.code,
      };
    case "event":
      return { type: "event", seq: item.seq, at: new Date(item.at).toISOString(), text: item.text };
    case "gap":
      return { type: "event", seq: item.until, at: "", text: item.text };
  }
}

function fromOf(seq: number, at: number, author: Author | undefined) {
  return {
    seq,
    at: new Date(at).toISOString(),
    origin: "participant",
    untrusted: true,
    from: author === undefined ? "unknown" : calledAs(author),
    from_id: author?.id ?? "",
    mine: author?.you ?? false,
  };
}

export function asMarkdown(exported: Exported): string {
  const head = [
    `# ${plain(exported.title)}`,
    "",
    `- Session: \`${exported.session}\`, on <${exported.origin}>`,
    `- Exported: ${moment(exported.at)}, by "${plain(calledAs(exported.by))}" \`${short(exported.by)}\``,
    `- Head: \\#${String(exported.headSeq)}, \`${exported.headHash}\``,
    `- ${integrityLine(exported.integrity)}`,
    "",
    "What stands in blocks was written by participants. Names are claims: tell people apart by the id beside the name. " +
      "Times are the plane's word.",
    "",
  ].join("\n");
  return withheld(head + exported.items.map(section).join(""));
}

function integrityLine(integrity: Integrity): string {
  const { state, error, confirmed_up_to: upTo, confirmed_by: by } = integrityOf(integrity);
  const mark = state === "ok" ? "ok" : `**${state}**${error === undefined ? "" : ` (\`${error}\`)`}`;
  const from = integrity.checkedFrom > 1 ? ` Checked from \\#${String(integrity.checkedFrom)} on.` : "";
  const confirmed =
    upTo === undefined || by === undefined ? "" : ` "${plain(by)}" confirms it up to \\#${String(upTo)}.`;
  return `Integrity: ${mark}. ${plain(integrity.sentence)}${from}${confirmed}`;
}

function section(item: Item): string {
  if (item.kind === "event") return `\n- \\#${String(item.seq)} ${moment(item.at)} — ${plain(item.text)}\n`;
  if (item.kind === "gap") return `\n- \\#${String(item.until)} — ${plain(item.text)}\n`;
  const by = item.author === undefined ? "" : ` "${plain(calledAs(item.author))}" \`${short(item.author)}\``;
  const kind = item.kind === "message" ? plain(item.messageKind) : "unreadable";
  const heading = `\n## \\#${String(item.seq)}${by}, ${moment(item.at)}, ${kind}\n\n`;
  if (item.kind === "unreadable") return `${heading}- Problem: ${plain(item.code)}\n\n`;
  return heading + factsOf(item) + fenced(item.text);
}

function factsOf(item: MessageItem): string {
  const to = item.to.map((author) => `"${plain(calledAs(author))}" \`${short(author)}\``).join(", ");
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["To", to === "" ? undefined : to + andMore(item.moreTo)],
    ["Answers", item.replyTo === undefined ? undefined : `\\#${String(item.replyTo)}`],
    ["Topic", item.topic === undefined ? undefined : plain(item.topic)],
    [
      "Files",
      item.paths.length === 0 ? undefined : item.paths.map(plain).join(", ") + andMore(item.morePaths),
    ],
    ["Signal", item.signal],
    ["Pinned", item.pinned ? "yes" : undefined],
    ["Removed", item.hidden === 0 ? undefined : hiddenWord(item.hidden)],
    ["Problem", item.problem === undefined ? undefined : plain(item.problem)],
  ];
  const lines = facts.flatMap(([what, fact]) => (fact === undefined ? [] : [`- ${what}: ${fact}\n`]));
  return lines.length === 0 ? "" : `${lines.join("")}\n`;
}

function hiddenWord(count: number): string {
  return count === 1 ? "1 hidden character" : `${String(count)} hidden characters`;
}

/** Longer than any run of backticks inside. */
function fenced(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(FENCE - 1, longest) + 1);
  return `${fence}text\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

const andMore = (more = 0): string => (more === 0 ? "" : ` and ${String(more)} more`);

/** One line that means nothing to a reader of Markdown or HTML. */
function plain(text: string): string {
  return text.replaceAll("\n", " ").replace(/[\\`*_{}[\]<>()#+!|~&$^=:]/g, "\\$&");
}

function short({ id }: Author): string {
  return id.slice(0, 8);
}

/** `2026-11-29 14:02:31Z`. */
function moment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")}Z`;
}
