// What a person is writing: kept until it is on its way, over a reload as well, and given back when it did not go.
import type { MessageItem, MessageKind, NewMessage } from "../../session/model";
import { MESSAGE_KINDS } from "../../session/model";

/** A message's JSON may have this many bytes (crypto.md section 7), with room for what stands beside the text. */
export const TEXT_BYTES_MAX = 250_000;
/** From here on what is left is shown. */
export const TEXT_BYTES_NEAR = 225_000;

const UTF8 = new TextEncoder();
/** The longest form of one UTF-16 unit in a JSON string; shorter texts need not be measured. */
const WORST = 6;

/** A message on its way, and what it answers, so that both can be put back. */
export interface Taken {
  message: NewMessage;
  replyTo: MessageItem | undefined;
}

export class Draft {
  text = $state("");
  kind = $state<MessageKind>("chat");
  topic = $state("");
  replyTo = $state.raw<MessageItem>();
  /** Ids of those it is for, each once. */
  to = $state.raw<readonly string[]>([]);
  /** The message that this was an answer to before a reload, until it is shown again. */
  #soughtSeq = $state<number>();

  /** Goes on with what was being written before a reload; what is being written already stays. */
  takeUp(written: NewMessage | null): void {
    if (written === null || this.written !== null) return;
    this.text = written.text;
    this.kind = written.kind ?? "chat";
    this.topic = written.topic ?? "";
    this.to = written.to ?? [];
    this.#soughtSeq = written.replyTo;
  }

  address(id: string): void {
    this.to = [...new Set([...this.to, id])];
  }

  unaddress(id: string): void {
    this.to = this.to.filter((one) => one !== id);
  }

  /** Looks for what this was an answer to. */
  seek(find: (seq: number) => MessageItem | undefined): void {
    if (this.#soughtSeq === undefined) return;
    const found = find(this.#soughtSeq);
    if (found === undefined) return;
    this.replyTo ??= found;
    this.#soughtSeq = undefined;
  }

  /** As it stands, to be kept; null for nothing. */
  get written(): NewMessage | null {
    if (this.text === "" && this.topic === "" && this.to.length === 0) return null;
    const message: NewMessage = { text: this.text, kind: this.kind, topic: this.topic };
    if (this.to.length > 0) message.to = this.to;
    const replyTo = this.replyTo?.seq ?? this.#soughtSeq;
    if (replyTo !== undefined) message.replyTo = replyTo;
    return message;
  }

  /** Bytes in the JSON of the message; exact where it matters. */
  get bytes(): number {
    return this.text.length * WORST < TEXT_BYTES_NEAR
      ? this.text.length
      : UTF8.encode(JSON.stringify(this.text)).length - 2;
  }

  get empty(): boolean {
    return this.text.trim() === "";
  }

  get tooLong(): boolean {
    return this.bytes > TEXT_BYTES_MAX;
  }

  /** The message, and an empty draft; kind, topic and whom it is for are for one message. */
  take(): Taken {
    const topic = this.topic.trim();
    const message: NewMessage = { text: this.text };
    if (this.kind !== "chat") message.kind = this.kind;
    if (topic !== "") message.topic = topic;
    if (this.to.length > 0) message.to = this.to;
    const replyTo = this.replyTo;
    if (replyTo !== undefined) message.replyTo = replyTo.seq;
    this.text = "";
    this.to = [];
    this.kind = "chat";
    this.topic = "";
    this.replyTo = undefined;
    this.#soughtSeq = undefined;
    return { message, replyTo };
  }

  /** Throws it all away. */
  clear(): void {
    this.take();
  }

  /** Puts a message back that did not go, above what was written since. */
  restore({ message, replyTo }: Taken): void {
    this.text = this.empty ? message.text : `${message.text}\n\n${this.text}`;
    this.kind = message.kind ?? this.kind;
    this.topic = message.topic ?? this.topic;
    this.replyTo = replyTo ?? this.replyTo;
    this.to = [...new Set([...(message.to ?? []), ...this.to])];
  }

  /** Takes a refused message up again, with what it answers. */
  edit(item: MessageItem, answered?: MessageItem): void {
    const message: NewMessage = { text: item.text };
    const kind = MESSAGE_KINDS.find((one) => one === item.messageKind);
    if (kind !== undefined) message.kind = kind;
    if (item.topic !== undefined) message.topic = item.topic;
    message.to = item.to.map(({ id }) => id);
    this.restore({ message, replyTo: answered });
  }
}
