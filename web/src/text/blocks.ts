// A message into blocks, line by line: the part of Markdown that agents write, and nothing that needs looking ahead
// further than the end of a fence. What is not known stays a paragraph as it was written.
import { type DiffLine, diffBegins, diffEnds, diffLines } from "./diff";
import { type Budget, type Inline, inline } from "./inline";
import { PIECES_MAX } from "./limits";
import { type Table, table } from "./table";

export type Block =
  | { kind: "paragraph"; inline: Inline[] }
  | { kind: "heading"; inline: Inline[] }
  | { kind: "quote"; inline: Inline[] }
  | { kind: "list"; ordered: boolean; entries: Entry[] }
  | { kind: "code"; language: string; text: string }
  | { kind: "diff"; lines: DiffLine[] }
  | { kind: "table"; table: Table }
  | { kind: "rule" };

export interface Entry {
  /** How far it is indented: 0, 1 or 2. */
  depth: number;
  /** As the author counted; absent where there is a dot. */
  number?: number;
  inline: Inline[];
}

/** No part of a pattern may begin where the one before it could end: a line of ten thousand signs is read once. */
const FENCE = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[ \t]{0,8}(?![ \t])([\w+#.-]{0,30})(?![^\n]*`)/;
const HEADING = /^ {0,3}#{1,6} +(\S.*)$/;
const ENTRY = /^( {0,8}|\t{0,2})(?:[-*+•]|(\d{1,4})[.)]) +(\S.*)$/;
const QUOTE = /^ {0,3}> ?/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const TABLE = /^\s{0,3}\|.*\|\s*$/;

/** The blocks of a message whose hidden characters are gone; what is beyond `most` pieces is one, as it was written. */
export function blocks(text: string, most = PIECES_MAX): Block[] {
  const budget: Budget = { left: most };
  const lines = text.split("\n");
  const found: Block[] = [];
  let open: string[] = [];
  const close = () => {
    const paragraph = open.join("\n").replace(/^\n+/, "").trimEnd();
    if (paragraph !== "") found.push({ kind: "paragraph", inline: inline(paragraph, budget) });
    open = [];
  };
  let at = 0;
  while (at < lines.length && budget.left > 0) {
    const special = blockAt(lines, at, budget);
    if (special !== undefined) {
      close();
      found.push(special.block);
      budget.left -= 1;
      at = special.end;
      continue;
    }
    const line = lines[at] ?? "";
    if (line.trim() === "") close();
    else open.push(line);
    at += 1;
  }
  close();
  const rest = lines.slice(at).join("\n");
  if (rest.trim() !== "") found.push({ kind: "paragraph", inline: [{ kind: "text", text: rest }] });
  return found;
}

interface Taken {
  block: Block;
  /** The first line that is not in it. */
  end: number;
}

function blockAt(lines: readonly string[], at: number, budget: Budget): Taken | undefined {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line);
  if (fence !== null) return fenced(lines, at, fence[1] ?? "```", (fence[2] ?? "").toLowerCase());
  if (diffBegins(lines, at)) {
    const end = diffEnds(lines, at);
    return { block: { kind: "diff", lines: diffLines(lines.slice(at, end).join("\n")) }, end };
  }
  const heading = HEADING.exec(line);
  if (heading !== null)
    return { block: { kind: "heading", inline: inline(heading[1] ?? "", budget) }, end: at + 1 };
  if (RULE.test(line)) return { block: { kind: "rule" }, end: at + 1 };
  if (QUOTE.test(line)) {
    const end = endOf(lines, at, QUOTE);
    const quoted = lines.slice(at, end).map((one) => one.replace(QUOTE, ""));
    return { block: { kind: "quote", inline: inline(quoted.join("\n"), budget) }, end };
  }
  if (TABLE.test(line) && TABLE.test(lines[at + 1] ?? "")) {
    const end = endOf(lines, at, TABLE);
    const rows = lines.slice(at, end);
    const found = table(rows, budget);
    return {
      block: found ? { kind: "table", table: found } : { kind: "code", language: "", text: rows.join("\n") },
      end,
    };
  }
  return ENTRY.test(line) ? list(lines, at, budget) : undefined;
}

function endOf(lines: readonly string[], at: number, pattern: RegExp): number {
  let end = at + 1;
  while (end < lines.length && pattern.test(lines[end] ?? "")) end += 1;
  return end;
}

/** A fence that is never closed goes to the end. */
function fenced(lines: readonly string[], at: number, sign: string, language: string): Taken {
  const closing = new RegExp(`^ {0,3}\\${sign.charAt(0)}{${sign.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end] ?? "")) end += 1;
  const text = lines.slice(at + 1, end).join("\n");
  const block: Block =
    language === "diff" || language === "patch"
      ? { kind: "diff", lines: diffLines(text) }
      : { kind: "code", language, text };
  return { block, end: Math.min(end + 1, lines.length) };
}

/** Entries of one kind one after another, with the lines that go on under them. */
function list(lines: readonly string[], at: number, budget: Budget): Taken {
  const entries: { depth: number; number: string | undefined; text: string }[] = [];
  const first = ENTRY.exec(lines[at] ?? "");
  const ordered = first?.[2] !== undefined;
  let end = at;
  while (end < lines.length) {
    const line = lines[end] ?? "";
    const entry = ENTRY.exec(line);
    const last = entries.at(-1);
    if (entry !== null) {
      const depth = Math.min(2, Math.floor((entry[1] ?? "").replaceAll("\t", "  ").length / 2));
      if (depth === 0 && (entry[2] !== undefined) !== ordered) break;
      entries.push({ depth, number: entry[2], text: entry[3] ?? "" });
    } else if (last !== undefined && /^(?: {2,}|\t)\S/.test(line) && !FENCE.test(line)) {
      last.text += `\n${line.trim()}`;
    } else break;
    end += 1;
  }
  return {
    block: {
      kind: "list",
      ordered,
      entries: entries.map(({ depth, number, text }) => ({
        depth,
        ...(number === undefined ? {} : { number: Number(number) }),
        inline: inline(text, budget),
      })),
    },
    end,
  };
}
