// How much of a long message is shown at first, and how much more at each ask.
import { PART_CHARACTERS, PART_LINES } from "./limits";

export interface Part {
  text: string;
  /** Characters that are left. */
  left: number;
}

/** The first `parts` parts of a text, cut at the end of a line where there is one, never inside a character. */
export function part(text: string, parts: number): Part {
  const characters = PART_CHARACTERS * parts;
  let end = text.length <= characters * 1.25 ? text.length : characters;
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) {
    lines += 1;
    if (lines >= PART_LINES * parts) {
      end = Math.min(end, at);
      break;
    }
  }
  if (end === text.length) return { text, left: 0 };
  const line = text.lastIndexOf("\n", end);
  if (line > end / 2) end = line;
  const code = text.charCodeAt(end - 1);
  if (code >= 0xd800 && code < 0xdc00) end -= 1;
  return { text: text.slice(0, end), left: text.length - end };
}
