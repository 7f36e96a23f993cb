// The title of the session and the goals of proposals, opened once each. Somebody else's text: it is made safe to show here.
import type { SealedGoal, SealedTitle } from "../api/types";
import { fromBase64Url, openGoal, openTitle, participantId, proposalId } from "../seal";
import type { Held } from "./held";
import { shown, shownTitle } from "./shown";

export class SealedTexts {
  readonly #held: Held;
  readonly #changed: () => void;
  /** By the sealed bytes; null while it is opened, or where it does not open. */
  readonly #opened = new Map<string, string | null>();

  constructor(held: Held, changed: () => void) {
    this.#held = held;
    this.#changed = changed;
  }

  title(): string | undefined {
    const { title } = this.#held;
    if (title === null) return undefined;
    const text = this.#once(keyOf(title, this.#held), async () => {
      const opened = await this.#openTitle(title);
      this.#held.seat.title = opened;
      return shownTitle(opened);
    });
    return text ?? undefined;
  }

  /** The goal of the proposal of that id by that proposer; none where it is of another. */
  goal(
    goal: SealedGoal | undefined,
    proposal: string | undefined,
    by: string | undefined,
  ): string | undefined {
    if (goal === undefined || goal.proposal_id !== proposal) return undefined;
    if (by !== undefined && goal.participant_id !== by) return undefined;
    const text = this.#once(keyOf(goal, this.#held), async () => shown(await this.#openGoal(goal)).text);
    return text ?? undefined;
  }

  async #openTitle({ epoch, participant_id: by, sealed }: SealedTitle): Promise<string> {
    const { keys, roster } = this.#held;
    const [held, author] = [keys.get(epoch), participantId(by)];
    if (held === undefined) throw new Error("no key");
    return openTitle(held, roster.author(author, epoch), author, fromBase64Url(sealed));
  }

  async #openGoal({ epoch, participant_id: by, proposal_id: id, sealed }: SealedGoal): Promise<string> {
    const { keys, roster } = this.#held;
    const [held, author] = [keys.get(epoch), participantId(by)];
    if (held === undefined) throw new Error("no key");
    return openGoal(held, roster.author(author, epoch), author, proposalId(id), fromBase64Url(sealed));
  }

  #once(key: string, open: () => Promise<string>): string | null {
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    this.#opened.set(key, null);
    open().then(
      (text) => {
        this.#opened.set(key, text);
        this.#changed();
      },
      // Without the key, or not what it should be: it shows as none.
      () => undefined,
    );
    return null;
  }
}

/** Whether it opens depends on the author's right, which may be learned later. */
function keyOf(sealed: SealedTitle, { roster, keys }: Held): string {
  const { epoch, participant_id: by } = sealed;
  const isHeld = keys.get(epoch) !== undefined;
  let mayWrite = false;
  try {
    mayWrite = roster.mayWrite(participantId(by), epoch);
  } catch {
    // An id that is none.
  }
  return `${String(isHeld)} ${String(mayWrite)} ${sealed.sealed}`;
}
