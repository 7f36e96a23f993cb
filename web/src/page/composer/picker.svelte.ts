// The list of people that opens while one writes: whether it is open, who is in it, and which of them the keyboard is on. The
// focus stays in the field (WAI-ARIA, combobox pattern).
import type { Person } from "../../session/model";
import { fitting, soughtAt, type Sought } from "./addressing";

export class Picker {
  #sought = $state.raw<Sought>();
  active = $state(0);
  /** Where the `@` stands for which it was dismissed: it does not open again while that goes on. */
  #closedAt: number | undefined;
  readonly #people: () => readonly Person[];
  readonly #chosen: () => readonly string[];
  readonly found: readonly Person[] = $derived.by(() =>
    this.#sought === undefined ? [] : fitting(this.#people(), this.#sought.words, this.#chosen()),
  );

  constructor(people: () => readonly Person[], chosen: () => readonly string[]) {
    this.#people = people;
    this.#chosen = chosen;
  }

  get isOpen(): boolean {
    return this.found.length > 0;
  }

  /** What a choice takes the place of. */
  get sought(): Sought | undefined {
    return this.#sought;
  }

  /** The one the keyboard is on. */
  get current(): Person | undefined {
    return this.found[this.active];
  }

  /** To be called after each change of the text and each move in it. */
  look(text: string, caret: number): void {
    const sought = soughtAt(text, caret);
    if (sought?.from !== this.#closedAt) this.#closedAt = undefined;
    if (sought?.words !== this.#sought?.words) this.active = 0;
    this.#sought = this.#closedAt === undefined ? sought : undefined;
  }

  /** Everybody, without a word of the text. */
  browse(caret: number): void {
    this.active = 0;
    this.#sought = { from: caret, to: caret, words: "" };
  }

  move(by: 1 | -1): void {
    const { length } = this.found;
    this.active = (this.active + by + length) % length;
  }

  close(): void {
    this.#sought = undefined;
  }

  /** The person wants no list for this `@`. */
  dismiss(): void {
    const { from, to } = this.#sought ?? { from: 0, to: 0 };
    if (from < to) this.#closedAt = from;
    this.close();
  }
}
