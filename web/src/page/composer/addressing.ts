// Whom a message is for, chosen while it is written: where an `@` begins a name, who fits what follows, and what becomes of the
// text then. Pure.
import type { Person } from "../../session/model";
import { oneLine } from "../../text/hidden";
import { TO_MAX } from "../limits";

/** The part of the text that a choice takes the place of, and what is looked for in it: all of it, or what follows its `@`. */
export interface Sought {
  readonly from: number;
  readonly to: number;
  readonly words: string;
}

/** What is put in the place of a part of the text; the caret goes behind it. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly put: string;
}

/** A name is no longer than this. */
const LONGEST = 64;

const mayBeName = (words: string) => words.length <= LONGEST && !/^\s|\n/.test(words);

/** The `@…` that ends at the caret. One within a word is an address of another kind, and one before a blank a word by itself. */
export function soughtAt(text: string, caret: number): Sought | undefined {
  const from = text.slice(0, caret).lastIndexOf("@");
  const words = text.slice(from + 1, caret);
  const isName = from !== -1 && mayBeName(words) && !/[^\s(]$/.test(text.slice(0, from));
  return isName ? { from, to: caret, words } : undefined;
}

/** What was typed where the list was opened without an `@`, while nothing else of the text changed. */
export function typedOn(
  before: string,
  { from, to }: Sought,
  text: string,
  caret: number,
): Sought | undefined {
  const words = text.slice(from, caret);
  const isSame = text.slice(0, from) === before.slice(0, from) && text.slice(caret) === before.slice(to);
  return isSame && caret >= from && mayBeName(words) ? { from, to: caret, words } : undefined;
}

/** Who can be chosen by these words: a word of their name begins so, or their id. */
export function fitting(
  people: readonly Person[],
  words: string,
  chosen: readonly string[],
): readonly Person[] {
  if (chosen.length >= TO_MAX) return [];
  const wanted = folded(words);
  return people.filter(
    ({ id, name, you }) =>
      !you &&
      !chosen.includes(id) &&
      (begins(folded(name), wanted) || (wanted.length >= 4 && id.startsWith(wanted))),
  );
}

/** Without accents, which not every keyboard has. Marks that are letters of their own in other scripts stay. */
const folded = (text: string) =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036F]/g, "");

function begins(name: string, words: string): boolean {
  for (let at = name.indexOf(words); at !== -1; at = name.indexOf(words, at + 1)) {
    if (!/[\p{L}\p{M}\p{N}]$/u.test(name.slice(0, at))) return true;
    if (words === "") return false;
  }
  return false;
}

/** What becomes of the text once somebody was chosen. At its beginning nothing stays: it is said above it. In a sentence the name
 * stays, without an `@`, which by itself would go on calling them when they are taken out again. */
export function choiceOf(text: string, { from, to, words }: Sought, person: Person): Change {
  // No part of a sentence: it was typed to find them.
  if (to - from === words.length) return { from, to, put: "" };
  const after = text.slice(to);
  if (text.slice(0, from).trim() === "")
    return { from, to: to + after.length - after.trimStart().length, put: "" };
  const name = inWords(person);
  const gap = name !== "" && /^(?:$|[\p{L}\p{N}])/u.test(after) ? " " : "";
  return { from, to, put: name + gap };
}

/** What a page puts behind a name, in brackets: none of their own words. */
const REMARK = / \[[^[\]]*\]$/;
const WORD =
  /[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}]+(?:[-'’][\p{L}\p{N}]+)*(?:(?<=\p{L})\.(?!\S))?/gu;

/** A name as words of one's own message. Who it belongs to chose it, so that no sign of Markdown is left of it and no address. */
function inWords({ name, tag }: Person): string {
  const words: string[] = oneLine(name).replace(REMARK, "").match(WORD) ?? [];
  return [...words, ...(tag === undefined ? [] : [`#${tag}`])].join(" ");
}
