// Why nothing is written from here, in a sentence each, and what to do about it.
import type { Muted, View } from "../../session/model";

const SENTENCES: Readonly<Record<Muted, string>> = {
  ended: "The session is over; nobody can write any more.",
  view_link:
    "You came by a view link: you can read all of this and write nothing. Ask for a full link to take part.",
  warning: "Writing waits until you have decided about the warning above.",
  broken: "Writing is off, since the transcript does not hold together.",
  moving: "The session is being re-keyed. What you send goes out under the new keys, in a moment.",
};

export function whyMuted({ muted }: View): string {
  return muted === undefined ? "You can't write here at present." : SENTENCES[muted];
}
