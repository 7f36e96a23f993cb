// What is said aloud of what somebody did with a text: by one voice for all of them, which whoever draws many texts gives.
import { createContext } from "svelte";

/** Says it; what is empty is said no more. */
export type Say = (words: string) => void;

const [get, set] = createContext<Say>();

export const setSaying = set;

/** Nothing is said where nobody gave a voice. */
export function saying(): Say {
  try {
    return get();
  } catch {
    return () => undefined;
  }
}
