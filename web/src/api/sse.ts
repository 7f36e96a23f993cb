// Server-sent events, as the HTML standard has their text: from bytes in any pieces to events. No I/O.

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  /** The last id that was set; null before the first. */
  readonly id: string | null;
}

/** An event that goes beyond what anybody may send. */
export class EventTooLarge extends Error {}

/** More than the largest record in base64url and JSON. */
const EVENT_MAX = 1_048_576;

export class EventParser {
  // Takes the byte order mark away that may stand first, and bytes that are no UTF-8 as U+FFFD.
  readonly #decoder = new TextDecoder("utf-8");
  #rest = "";
  /** The last piece ended in CR: an LF that comes next belongs to it. */
  #endedInCr = false;
  #event = "";
  #data: string[] = [];
  #size = 0;
  #id: string | null = null;

  /** The events that are complete with this piece. Throws EventTooLarge. */
  push(piece: Uint8Array): readonly ServerEvent[] {
    let text = this.#decoder.decode(piece, { stream: true });
    if (this.#endedInCr && text.startsWith("\n")) {
      text = text.slice(1);
      this.#endedInCr = false;
    }
    if (text !== "") this.#endedInCr = text.endsWith("\r");
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length + this.#size > EVENT_MAX) throw new EventTooLarge();
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): ServerEvent | null {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    // A line that begins with a colon is a comment.
    if (colon === 0) return null;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    this.#field(name, value);
    return null;
  }

  #field(name: string, value: string): void {
    if (name === "event") this.#event = value;
    if (name === "id" && !value.includes("\0")) this.#id = value;
    if (name !== "data") return;
    this.#data.push(value);
    this.#size += value.length;
    if (this.#size > EVENT_MAX) throw new EventTooLarge();
  }

  #dispatch(): ServerEvent | null {
    const [event, data] = [this.#event, this.#data];
    this.#event = "";
    this.#data = [];
    this.#size = 0;
    return data.length === 0
      ? null
      : { event: event === "" ? "message" : event, data: data.join("\n"), id: this.#id };
  }
}
