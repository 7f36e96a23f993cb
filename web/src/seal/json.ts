// The strict JSON of sealed records and of the plane's events (crypto.md section 7): one object, nothing that two
// readers could understand differently.
import { utf8, type Bytes } from "./bytes";
import { SealError } from "./error";
import { NESTING_READ_MAX, NESTING_WRITTEN_MAX } from "./limits";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Throws bad_content for other than UTF-8 of one object, a lone surrogate, a number beyond a double, or a depth
 * beyond 127. Of equal names the last counts. */
export function parseObject(bytes: Uint8Array): JsonObject {
  let value: JsonValue;
  try {
    value = parsed(decoder.decode(bytes));
  } catch {
    throw new SealError("bad_content");
  }
  if (!isObject(value) || !isPlain(value, NESTING_READ_MAX)) throw new SealError("bad_content");
  return value;
}

/** As it is to be sealed. Throws bad_content for what no reader would take, or a depth beyond 16. */
export function writeObject(object: JsonObject): Bytes {
  if (!isPlain(object, NESTING_WRITTEN_MAX)) throw new SealError("bad_content");
  return utf8(JSON.stringify(object));
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The string of that name; throws bad_content when there is none. */
export function stringOf(object: JsonObject, name: string): string {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  if (typeof value !== "string") throw new SealError("bad_content");
  return value;
}

function parsed(text: string): JsonValue {
  const value: unknown = JSON.parse(text);
  // JSON.parse gives nothing else.
  return value as JsonValue;
}

/** Goes level by level, so that no depth exhausts the stack. */
function isPlain(root: JsonObject, depthMax: number): boolean {
  let level: readonly JsonValue[] = [root];
  for (let depth = 1; level.length > 0; depth++) {
    const next: JsonValue[] = [];
    for (const value of level) {
      if (typeof value === "string" && !value.isWellFormed()) return false;
      if (typeof value === "number" && !Number.isFinite(value)) return false;
      if (typeof value !== "object" || value === null) continue;
      if (depth > depthMax) return false;
      for (const [name, member] of Object.entries(value)) {
        if (!name.isWellFormed()) return false;
        next.push(member);
      }
    }
    level = next;
  }
  return true;
}
