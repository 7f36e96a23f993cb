// What a reader searches for, made known to all text under a component, and the cut of a text at what was found.
import { createContext } from "svelte";
import { MARKS_SHOWN_MAX } from "./limits";

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

/** How many places may still be marked in one message: a letter is in a long one ten thousand times. */
export interface Room {
  left: number;
}

const [getRoom, setRoom] = createContext<Room>();

/** For all text of one message together. */
export const shareRoom = (): Room => setRoom({ left: MARKS_SHOWN_MAX });

/** That of the message; its own, for text that is in none. */
export function room(): Room {
  try {
    return getRoom();
  } catch {
    return { left: MARKS_SHOWN_MAX };
  }
}

export interface Cut {
  text: string;
  hit: boolean;
}

/** The text at what is sought, at most `most` times; the rest is one piece. Letters whose small form has another length are
 * compared as they are. */
export function cut(text: string, wanted: string, most = MARKS_SHOWN_MAX): Cut[] {
  if (wanted === "" || most < 1) return [{ text, hit: false }];
  const small = text.toLowerCase();
  const space = small.length === text.length ? small : text;
  const cuts: Cut[] = [];
  let from = 0;
  let left = most;
  for (let at = space.indexOf(wanted); at !== -1 && left > 0; at = space.indexOf(wanted, from)) {
    if (at > from) cuts.push({ text: text.slice(from, at), hit: false });
    from = at + wanted.length;
    cuts.push({ text: text.slice(at, from), hit: true });
    left -= 1;
  }
  if (from < text.length || cuts.length === 0) cuts.push({ text: text.slice(from), hit: false });
  return cuts;
}

/** As `cut`, within the room of a message. What was taken of it before is given back first: the same text is cut anew
 * whenever something else is sought. */
export function cutter(within: Room): { cut: (text: string, wanted: string) => Cut[]; end: () => void } {
  let taken = 0;
  const end = () => {
    within.left += taken;
    taken = 0;
  };
  return {
    cut(text, wanted) {
      end();
      const cuts = cut(text, wanted, within.left);
      for (const { hit } of cuts) if (hit) taken += 1;
      within.left -= taken;
      return cuts;
    },
    end,
  };
}
