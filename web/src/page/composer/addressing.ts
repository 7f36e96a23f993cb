// Whom a message is for, chosen while it is written: where an `@` begins a name, who fits what follows, and what becomes of the
// text then. Pure.
import type { Person } from "../../session/model";
import { calledAs } from "../words";

/** More are not shown of a message either, and all of them have room beside the longest text. */
export const TO_MAX = 20;

/** The part of the text that a choice takes the place of, and what is looked for in it. */
export interface Sought {
  readonly from: number;
  readonly to: number;
  readonly words: string;
}

/** A name is no longer than this. */
const LONGEST = 64;

/** The `@…` that ends at the caret. One within a word is an address of another kind, and one before a blank a word by itself. */
export function soughtAt(text: string, caret: number): Sought | undefined {
  const from = text.slice(0, caret).lastIndexOf("@");
  const words = text.slice(from + 1, caret);
  const isName = from !== -1 && words.length <= LONGEST && !/^\s|\n/.test(words);
  return isName && !/[^\s(]$/.test(text.slice(0, from)) ? { from, to: caret, words } : undefined;
}

/** Who can be chosen by these words: a word of their name begins so, or their id. */
export function fitting(
  people: readonly Person[],
  words: string,
  chosen: readonly string[],
): readonly Person[] {
  if (chosen.length >= TO_MAX) return [];
  const wanted = words.toLowerCase();
  return people.filter(
    ({ id, name, you }) =>
      !you &&
      !chosen.includes(id) &&
      (begins(name.toLowerCase(), wanted) || (wanted.length >= 4 && id.startsWith(wanted))),
  );
}

function begins(name: string, words: string): boolean {
  for (let at = name.indexOf(words); at !== -1; at = name.indexOf(words, at + 1)) {
    if (!/[\p{L}\p{N}]$/u.test(name.slice(0, at))) return true;
    if (words === "") return false;
  }
  return false;
}

/** The text once somebody was chosen, and where the caret is. At its beginning nothing stays: it is said above it. In a sentence
 * the name stays, without an `@`, which by itself would go on calling them when they are taken out again. */
export function afterChoice(
  text: string,
  { from, to }: Sought,
  person: Person,
): { text: string; caret: number } {
  const [before, after] = [text.slice(0, from), text.slice(to)];
  if (from === to) return { text, caret: to };
  if (before.trim() === "") return { text: before + after.trimStart(), caret: from };
  const gap = /^(?:$|[\p{L}\p{N}])/u.test(after) ? " " : "";
  const named = before + calledAs(person).replaceAll("@", "") + gap;
  return { text: named + after, caret: named.length };
}
