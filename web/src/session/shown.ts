// Other people's text made safe to show: what shows nothing is taken out and counted, links and tokens are withheld. Pure;
// judges nothing of what a text says. Source: mcp-client.md, What a model is shown of other people's text.
import { redact } from "../seal";

/** Marks on one character that any writing system needs; a pile of more runs over the lines around it. */
const MARKS_MAX = 8;
const NAME_MAX = 64;
const TITLE_MAX = 200;
const KIND_MAX = 32;

const MARK = /^\p{M}$/u;
const TOKEN = /dp[sma]_[A-Za-z0-9_-]{16,}/g;
const TOKEN_WITHHELD = "[token withheld]";

// Controls other than line feed, tab and U+0085; what Unicode says is ignored when shown; controls of direction; marks of
// annotation; what is no character by definition. Written out, since what is hidden must not depend on a version.
const HIDDEN = new RegExp(
  "^[" +
    "\\0-\\x08\\x0B-\\x1F\\x7F-\\x84\\x86-\\x9F\\xAD\\u{34F}\\u{61C}\\u{115F}\\u{1160}\\u{17B4}\\u{17B5}\\u{180B}-\\u{180F}" +
    "\\u{200B}-\\u{200F}\\u{202A}-\\u{202E}\\u{2060}-\\u{206F}\\u{3164}\\u{FE00}-\\u{FE0F}\\u{FEFF}\\u{FFA0}\\u{FFF0}-\\u{FFFC}" +
    "\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}\\u{FDD0}-\\u{FDEF}" +
    "]$",
  "u",
);

export interface Shown {
  readonly text: string;
  /** How many hidden characters were taken out. */
  readonly hidden: number;
}

/** Line breaks become `\n`, whatever they were. Links are looked for last, since a hidden character inside one would keep
 * it from being found. */
export function shown(raw: string): Shown {
  const { text, hidden } = stripped(raw);
  return { text: withheld(text), hidden };
}

/** What is left without links and tokens. */
export function withheld(text: string): string {
  return redact(text).replace(TOKEN, TOKEN_WITHHELD);
}

/** A title as it is shown: one line, to stand in quotation marks. */
export function shownTitle(raw: string): string {
  return oneLine(raw, TITLE_MAX) ?? "untitled";
}

/** A line that somebody filed a message under, or a path. */
export function shownLine(raw: string): string {
  return oneLine(raw, TITLE_MAX) ?? "";
}

export function shownKind(raw: string): string {
  return [...shownLine(raw)].slice(0, KIND_MAX).join("");
}

/** A name on one line, not yet told from one of ours; null if nothing of it can be seen. */
export function nameLine(raw: string): string | null {
  return oneLine(raw, NAME_MAX);
}

function oneLine(raw: string, most: number): string | null {
  const text = withheld(stripped(raw).text);
  const words = text.split(/\s+/u).filter((part) => part !== "");
  const line = [...words.join(" ").replace(QUOTES, "'")];
  if (line.length === 0) return null;
  return line.length > most ? `${line.slice(0, most - 1).join("")}…` : line.join("");
}

/** Names and titles stand in quotation marks, which they can't close. */
const QUOTES = /["\u201C-\u201F\u2033\u2036\uFF02]/g;

/** Removes hidden characters, and counts them. */
function stripped(raw: string): Shown {
  // Nearly every text: nothing in it needs a look of its own.
  if (/^[\n\t\x20-\x7E]*$/.test(raw)) return { text: raw, hidden: 0 };
  let text = "";
  let hidden = 0;
  let marks = MARKS_MAX;
  let last: string | null = null;
  for (const character of raw.replaceAll("\r\n", "\n")) {
    if (isHidden(character)) {
      // One a visible character chooses between text and emoji, in ordinary writing: gone, not counted.
      const chooses = character === "\uFE0E" || character === "\uFE0F";
      if (!(chooses && last !== null && !isHidden(last))) hidden++;
    } else if (character > "\x7F" && MARK.test(character)) {
      marks++;
      if (marks > MARKS_MAX) hidden++;
      else text += character;
    } else {
      const visible = plain(character);
      // At the start of a line there is nothing for a mark to stand on.
      marks = visible === "\n" ? MARKS_MAX : 0;
      text += visible;
    }
    last = character;
  }
  return { text, hidden };
}

function isHidden(character: string): boolean {
  if (HIDDEN.test(character)) return true;
  const point = character.codePointAt(0) ?? 0;
  // The last two of each plane are no characters. A surrogate alone is none either.
  return (point & 0xfffe) === 0xfffe || (point >= 0xd800 && point <= 0xdfff);
}

/** The plain form of line ends, and of a blank that counts as a symbol. */
function plain(character: string): string {
  if (character === "\x85" || character === "\u2028" || character === "\u2029") return "\n";
  return character === "\u2800" ? " " : character;
}
