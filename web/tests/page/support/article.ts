// One message of the transcript: two may have the same author and time, so its number is asked for.
import { screen } from "@testing-library/svelte";

/** The article of the message with this seq, found by its role. */
export function article(seq: number): HTMLElement {
  const found = screen.getAllByRole("article").find(({ id }) => id === `message-${seq}`);
  if (found === undefined) throw new Error(`no article of message ${seq}`);
  return found;
}
