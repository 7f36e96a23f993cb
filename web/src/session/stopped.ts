// The end of a way: no try will make it better, and the page says which end it is.
import type { ClosedWhy } from "./model";

export class Stopped extends Error {
  readonly why: ClosedWhy;
  readonly detail: string | undefined;

  constructor(why: ClosedWhy, detail?: string) {
    super(why);
    this.name = "Stopped";
    this.why = why;
    this.detail = detail;
  }
}
