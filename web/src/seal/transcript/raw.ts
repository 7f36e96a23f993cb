// A record as the verifier takes it: what the transcript hash covers (crypto.md section 9.1), and nothing else. Its fields
// are the plane's claim and may hold anything.
import { utf8, type Bytes } from "../bytes";
import { fromBase64Url } from "../encoding";
import { SealError } from "../error";
import { messageId, participantId, type MessageId, type ParticipantId } from "../ids";

/** The classes of crypto.md section 8. */
export const CLASS = { message: 1, notice: 2, epoch: 3, member: 4 } as const;

export interface RawRecord {
  readonly seq: number;
  readonly epoch: number;
  readonly class: number;
  /** Null for zeros. */
  readonly sender: ParticipantId | null;
  /** Null for zeros. */
  readonly item: MessageId | null;
  readonly body: Bytes;
}

type Optional<Value> = Value | null | undefined;

/** A record as the plane serves it. */
export interface WireRecord {
  readonly seq: number;
  readonly epoch: number;
  readonly class: string;
  readonly sender?: Optional<string>;
  readonly item_id?: Optional<string>;
  readonly sealed?: Optional<string>;
  readonly signal?: unknown;
  readonly body?: Optional<string>;
  readonly epoch_record?: Optional<string>;
}

/** Throws bad_record when it lacks the body of its class or has that of another, and when a value is misspelled. */
export function fromWire(record: WireRecord): RawRecord {
  try {
    return {
      seq: record.seq,
      epoch: record.epoch,
      class: classOf(record.class),
      sender: maybe(record.sender, participantId),
      item: maybe(record.item_id, messageId),
      body: bodyOf(record),
    };
  } catch {
    throw new SealError("bad_record");
  }
}

function classOf(name: string): number {
  if (!isClass(name)) throw new SealError("bad_record");
  return CLASS[name];
}

function isClass(name: string): name is keyof typeof CLASS {
  return Object.hasOwn(CLASS, name);
}

function bodyOf(record: WireRecord): Bytes {
  const sealed = maybe(record.sealed, fromBase64Url);
  const text = maybe(record.body, utf8);
  const epoch = maybe(record.epoch_record, fromBase64Url);
  const body = { message: sealed, notice: text, member: text, epoch }[record.class];
  const others = [sealed, text, epoch].filter((other) => other !== null && other !== body);
  const strayed = record.class !== "message" && (record.signal ?? null) !== null;
  if (body === null || body === undefined || others.length > 0 || strayed) throw new SealError("bad_record");
  return body;
}

function maybe<From, To>(value: Optional<From>, parse: (value: From) => To): To | null {
  return value === null || value === undefined ? null : parse(value);
}
