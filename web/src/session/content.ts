// The JSON inside a message: a string `kind` and, each where it applies, the members below. A member of another type counts
// as absent and an unknown one is ignored, so that a later client's messages stay readable. Pure.
import { type JsonObject, type JsonValue } from "../seal";
import { MESSAGE_KINDS, type NewMessage, type Signal } from "./model";

export interface Content {
  readonly kind: string;
  readonly text: string;
  readonly topic?: string;
  /** Participant ids, as written, each once. */
  readonly to: readonly string[];
  readonly replyTo?: number;
  readonly paths: readonly string[];
  readonly pinned: boolean;
  readonly signal?: Signal;
}

export function readContent(json: JsonObject): Content {
  const [topic, signal, replyTo] = [textOf(json, "topic"), textOf(json, "signal"), member(json, "reply_to")];
  return {
    kind: textOf(json, "kind") ?? "",
    text: textOf(json, "text") ?? "",
    to: textsOf(json, "to"),
    paths: textsOf(json, "paths"),
    pinned: member(json, "pin") === true,
    ...(topic === undefined ? {} : { topic }),
    ...(typeof replyTo === "number" && Number.isSafeInteger(replyTo) && replyTo >= 0 ? { replyTo } : {}),
    ...(isSignal(signal) ? { signal } : {}),
  };
}

/** What a person writes, as it is sealed. */
export function writeContent(message: NewMessage): JsonObject {
  return {
    kind: message.kind ?? "chat",
    text: message.text,
    ...(message.topic === undefined || message.topic === "" ? {} : { topic: message.topic }),
    ...(message.to === undefined || message.to.length === 0 ? {} : { to: message.to }),
    ...(message.replyTo === undefined ? {} : { reply_to: message.replyTo }),
  };
}

/** What a person wrote, taken up again. */
export function messageOf({ kind, text, topic, replyTo, to }: Content): NewMessage {
  const known = MESSAGE_KINDS.find((one) => one === kind);
  return {
    text,
    ...(known === undefined ? {} : { kind: known }),
    ...(topic === undefined ? {} : { topic }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(to.length === 0 ? {} : { to }),
  };
}

function isSignal(word: string | undefined): word is Signal {
  return word === "continue" || word === "done" || word === "blocked";
}

function member(json: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(json, name) ? json[name] : undefined;
}

function textOf(json: JsonObject, name: string): string | undefined {
  const value = member(json, name);
  return typeof value === "string" ? value : undefined;
}

function textsOf(json: JsonObject, name: string): readonly string[] {
  const value = member(json, name);
  return Array.isArray(value) ? [...new Set(value.filter((item) => typeof item === "string"))] : [];
}
