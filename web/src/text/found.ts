// What a reader searches for, made known to all text under a component, and the cut of a text at what was found.
import { createContext } from "svelte";

/** Gives what is searched for now, in small letters; empty for nothing. */
export type Sought = () => string;

const [get, set] = createContext<Sought>();

export const setSought = set;

/** What is searched for; nothing where nobody searches. */
export function sought(): Sought {
  try {
    return get();
  } catch {
    return () => "";
  }
}

export interface Cut {
  text: string;
  hit: boolean;
}

/** The text at what is sought. Letters whose small form has another length are compared as they are. */
export function cut(text: string, wanted: string): Cut[] {
  if (wanted === "") return [{ text, hit: false }];
  const small = text.toLowerCase();
  const space = small.length === text.length ? small : text;
  const cuts: Cut[] = [];
  let from = 0;
  for (let at = space.indexOf(wanted); at !== -1; at = space.indexOf(wanted, from)) {
    if (at > from) cuts.push({ text: text.slice(from, at), hit: false });
    from = at + wanted.length;
    cuts.push({ text: text.slice(at, from), hit: true });
  }
  if (from < text.length || cuts.length === 0) cuts.push({ text: text.slice(from), hit: false });
  return cuts;
}
