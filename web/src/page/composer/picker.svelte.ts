// The list of people that opens while one writes: whether it is open, who is in it, and which of them the keyboard is on. The
// focus stays in the field (WAI-ARIA, combobox pattern).
import type { Person } from "../../session/model";
import { TO_MAX } from "../limits";
import { fitting, soughtAt, typedOn, type Sought } from "./addressing";

export class Picker {
  #sought = $state.raw<Sought>();
  /** The text it was sought in. Of any other text it would take the wrong part, so that a change from elsewhere closes the list. */
  #lookedAt = $state.raw("");
  /** The one the keyboard is on, by id: whoever comes or goes, nobody else is under the hand then. */
  #active = $state<string>();
  /** Opened without an `@`. */
  #isBrowsing = false;
  /** Where the `@` stands for which it was dismissed: it does not open again while that goes on. */
  #closedAt: number | undefined;
  readonly #people: () => readonly Person[];
  readonly #chosen: () => readonly string[];
  readonly #text: () => string;
  readonly found: readonly Person[] = $derived.by(() =>
    this.sought === undefined ? [] : fitting(this.#people(), this.sought.words, this.#chosen()),
  );
  /** Where in the list the keyboard is; -1 where that person is gone, until it moves on. */
  readonly active: number = $derived(this.found.findIndex(({ id }) => id === this.#active));

  constructor(people: () => readonly Person[], chosen: () => readonly string[], text: () => string) {
    this.#people = people;
    this.#chosen = chosen;
    this.#text = text;
  }

  get isOpen(): boolean {
    return this.found.length > 0;
  }

  /** Somebody is sought, and nobody more can be chosen. */
  get isFull(): boolean {
    return this.sought !== undefined && this.#chosen().length >= TO_MAX;
  }

  /** What a choice takes the place of. */
  get sought(): Sought | undefined {
    return this.#lookedAt === this.#text() ? this.#sought : undefined;
  }

  /** The one the keyboard is on. */
  get current(): Person | undefined {
    return this.found[this.active];
  }

  /** To be called after each change that a person makes to the text, and each move in it. */
  look(caret: number): void {
    const text = this.#text();
    const before = this.#sought;
    let sought =
      this.#isBrowsing && before !== undefined ? typedOn(this.#lookedAt, before, text, caret) : undefined;
    if (sought === undefined) {
      this.#isBrowsing = false;
      sought = soughtAt(text, caret);
      if (sought?.from !== this.#closedAt) this.#closedAt = undefined;
      if (this.#closedAt !== undefined) sought = undefined;
    }
    this.#show(sought, sought?.from !== before?.from || sought?.words !== before?.words);
  }

  /** Everybody, without a word of the text; what is typed then finds them. */
  browse(caret: number): void {
    this.#isBrowsing = true;
    this.#show({ from: caret, to: caret, words: "" }, true);
  }

  #show(sought: Sought | undefined, isAnew: boolean): void {
    this.#lookedAt = this.#text();
    this.#sought = sought;
    if (isAnew) this.#active = this.found[0]?.id;
    // Somebody who joins later opens no list where there was none.
    if (!this.isOpen && !this.isFull) this.close();
  }

  move(by: 1 | -1): void {
    const { length } = this.found;
    const from = this.active === -1 && by === -1 ? 0 : this.active;
    this.#active = this.found[(from + by + length) % length]?.id;
  }

  close(): void {
    this.#sought = undefined;
    this.#isBrowsing = false;
  }

  /** The person wants no list for this `@`. */
  dismiss(): void {
    if (!this.#isBrowsing) this.#closedAt = this.sought?.from;
    this.close();
  }
}
