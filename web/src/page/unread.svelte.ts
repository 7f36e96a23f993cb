// What came while nobody looked: counted while the tab is hidden, and shown from where it begins once somebody is back. What
// was there before this page was live for the first time is history, and never new.
import type { Item, View } from "../session/model";
import { lastSeq, newerThan } from "./transcript/rows";

export class Unread {
  /** Nobody looks. */
  hidden = $state(document.visibilityState === "hidden");
  /** Messages of others since then. */
  count = $state(0);
  /** The first of them, until the reader writes or goes away again. */
  first = $state<number>();
  /** The last seq of what was there before. */
  history = $state(0);
  #isLive = false;
  #left = 0;

  /** With each look at the session. */
  look({ items, connection, loading }: View): void {
    if (!this.#isLive) {
      this.history = this.#left = lastSeq(items);
      this.#isLive = connection === "live" && loading === undefined;
    }
    this.count = this.hidden ? newerThan(items, this.#left).length : 0;
  }

  /** The tab was hidden, or is seen again. */
  turn(items: readonly Item[]): void {
    const hidden = document.visibilityState === "hidden";
    if (hidden === this.hidden) return;
    this.hidden = hidden;
    this.count = 0;
    this.first = hidden ? undefined : newerThan(items, this.#left)[0]?.seq;
    if (hidden) this.#left = lastSeq(items);
  }
}
