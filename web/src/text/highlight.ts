// Colours for code, on demand: the library comes in a chunk of its own with the first code that is shown, and gives
// tokens, never HTML.
import { HIGHLIGHT_KEPT, HIGHLIGHT_MAX } from "./limits";

export interface Token {
  text: string;
  /** The part of speech, one of the classes of Code.svelte; none for plain text. */
  part?: string;
}

type Colour = (language: string, text: string) => Token[] | undefined;

let library: Promise<Colour> | undefined;
const kept = new Map<string, readonly Token[]>();

/** The tokens of a piece of code; undefined when there is no grammar for it, it is too long, or the chunk did not come. */
export async function highlight(language: string, text: string): Promise<readonly Token[] | undefined> {
  if (language === "" || text.length > HIGHLIGHT_MAX) return undefined;
  const key = `${language}\n${text}`;
  const before = kept.get(key);
  if (before !== undefined) return before;
  library ??= import("./grammars").then(({ colour }) => colour);
  let tokens: Token[] | undefined;
  try {
    tokens = (await library)(language, text);
  } catch {
    library = undefined;
    return undefined;
  }
  if (tokens === undefined) return undefined;
  if (kept.size >= HIGHLIGHT_KEPT) kept.delete(kept.keys().next().value ?? "");
  kept.set(key, tokens);
  return tokens;
}
