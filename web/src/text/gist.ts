// How a text begins, in one line and without the signs that form it: for a quote, where there is no room for blocks. Pure.
import { inline } from "./inline";
import { oneLine } from "./hidden";

const FORMING = /^\s*(?:(?:#{1,6}|>|[-*+])\s+|(?:`{3,}|~{3,})\S*\s*$)/gm;

/** At most `length` characters of it. */
export function gist(text: string, length: number): string {
  const plain = inline(text.slice(0, 2 * length).replace(FORMING, ""));
  return oneLine(plain.map((piece) => piece.text).join("")).slice(0, length);
}
