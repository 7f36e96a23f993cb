// Characters that show nothing, or change how others show: removed and counted, as the native client does. What
// comes from the session went through this already; here it is done again, so that nothing depends on that.
import { MARKS_MAX } from "./limits";

/** Text that shows all that it is. */
export interface Visible {
  text: string;
  /** How many hidden characters were removed. */
  hidden: number;
}

const LINE_END = /\r\n|[\u0085\u2028\u2029]/g;
const BLANK_SYMBOL = /\u2800/g;
/** Variation selectors 15 and 16 choose between text and emoji style in ordinary writing: gone, not counted. */
const STYLE = /[\uFE0E\uFE0F]/g;
/** Controls but line feed and tab, what Unicode ignores when shown, annotation marks, halves of pairs, no characters. */
const HIDDEN =
  /[^\P{Cc}\n\t]|\p{Default_Ignorable_Code_Point}|[\u061C\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFFF0-\uFFFC]|\p{Noncharacter_Code_Point}|\p{Cs}/gu;
const PILE = new RegExp(`(\\p{M}{${MARKS_MAX}})(\\p{M}+)`, "gu");
const PLAIN = /^[\n\t\x20-\x7E]*$/;

/** Removes what can't be seen, and says how much that was. */
export function visible(raw: string): Visible {
  if (PLAIN.test(raw)) return { text: raw, hidden: 0 };
  let hidden = 0;
  const text = raw
    .replace(LINE_END, "\n")
    .replace(BLANK_SYMBOL, " ")
    .replace(STYLE, "")
    .replace(HIDDEN, () => {
      hidden += 1;
      return "";
    })
    .replace(PILE, (_, kept: string, rest: string) => {
      hidden += [...rest].length;
      return kept;
    });
  return { text, hidden };
}

/** One line of it, for names and topics. */
export function oneLine(raw: string): string {
  return visible(raw).text.replace(/\s+/g, " ").trim();
}
