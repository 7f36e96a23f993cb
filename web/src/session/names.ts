// Names as they are shown: claims by their owners, told apart where two look alike, and never as one of ours. Pure.
// Source: decision 0011; the look is the skeleton of Unicode UTS #39, as far as it is one of ASCII letters and digits.
import { LOOK_ALIKES } from "./look-alikes";
import { nameLine } from "./shown";

/** Names that only this page, the plane, a host or a model's own transcript would go by, and words that a sentence of this
 * page's puts in the place of a name. */
const RESERVED = [
  "system",
  "human",
  "user",
  "assistant",
  "developer",
  "devpilot",
  "host",
  "plane",
  "notice",
  "tool",
  "admin",
  "administrator",
  "moderator",
  "owner",
  "server",
  "you",
  "me",
  "everybody",
  "everyone",
  "nobody",
  "unknown",
  "unnamed",
];

/** Stands behind a name like one of ours. */
const OWN_NAME = "[a participant's own name]";
const OUR_PROGRAM = "devpilot-session";
const ID_DIGITS = 4;

/** The usual signs that people write for letters. */
const SIGNS = new Map(
  Object.entries({
    "0": "o",
    "1": "l",
    "|": "l",
    "!": "l",
    "3": "e",
    "4": "a",
    "@": "a",
    "5": "s",
    $: "s",
    "7": "t",
  }),
);
const PROTOTYPES = new Map(
  LOOK_ALIKES.flatMap(([looksLike, characters]) => [...characters].map((c) => [c, looksLike])),
);

export interface NamedAs {
  readonly name: string;
  /** The first symbols of the id, where the name alone does not tell. */
  readonly tag?: string;
}

/** A name by itself, as it stands in a sentence. */
export function shownName(raw: string): string {
  const line = nameLine(raw);
  if (line === null) return "unnamed";
  return claimsToBeOurs(line) ? `${line} ${OWN_NAME}` : line;
}

/** The program of an agent; ours is no claim to be something else there. */
export function shownProgram(raw: string): string {
  return raw === OUR_PROGRAM ? raw : shownName(raw);
}

/** The names of a session's participants beside each other, by id. */
export function nameTable(
  claimed: Iterable<readonly [id: string, raw: string]>,
): ReadonlyMap<string, NamedAs> {
  const names = new Map<string, string>();
  const alike = new Map<string, string[]>();
  for (const [id, raw] of claimed) {
    const name = shownName(raw);
    names.set(id, name);
    const look = squeezed(name);
    alike.set(look, [...(alike.get(look) ?? []), id]);
  }
  const shared = new Set([...alike.values()].filter((ids) => new Set(ids).size > 1).flat());
  return new Map(
    [...names].map(([id, name]) => [id, shared.has(id) ? { name, tag: digitsOf(id) } : { name }]),
  );
}

/** How somebody is called of whom no name is known. */
export function unknownName(id: string): NamedAs {
  return { name: "unknown", tag: digitsOf(id) };
}

function digitsOf(id: string): string {
  const digits = id.slice(0, ID_DIGITS);
  // The plane may name somebody by what is no id.
  return /^[0-9a-f]*$/.test(digits) ? digits : "none";
}

function claimsToBeOurs(line: string): boolean {
  return isOurs(line) || hasIdDigits(line) || line.split(/[^\p{L}\p{N}|!@$]+/u).some(isOurs);
}

const OURS = new Set(RESERVED.map(squeezed));

function isOurs(part: string): boolean {
  return OURS.has(squeezed(part)) || OURS.has(squeezed(part.replace(/[0-9]+$/, "")));
}

/** Four digits at the end, after what is more than a hyphen in a word. Of letters alone only small ones are an id's. */
const LAST_DIGITS =
  /[^\p{L}\p{N}_.-][^\p{L}\p{N}]*(?:[0-9a-f]{4}|(?=[A-F]*[0-9])[0-9A-F]{4})[^\p{L}\p{N}]*$/u;

/** Four digits of an id as they stand beside a name, `79f2`, `#79f2` or `(79f2)`: they are ours to add. */
function hasIdDigits(line: string): boolean {
  const plain = line.normalize("NFKC");
  if (LAST_DIGITS.test(plain)) return true;
  return plain
    .split(/[#([]/)
    .slice(1)
    .some((part) => /^[0-9a-fA-F]{4}(?![0-9a-fA-F])/.test(part.trimStart()));
}

/** What two names that look alike have in common, without what is between letters. */
function squeezed(text: string): string {
  const letters = Array.from(text.toLowerCase(), (character) => SIGNS.get(character) ?? character).join("");
  const skeleton = Array.from(
    letters.normalize("NFD"),
    (character) => PROTOTYPES.get(character) ?? character,
  );
  // `i` and `l` are told apart by nobody.
  return skeleton
    .join("")
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll("i", "l")
    .replace(/[^\p{L}\p{N}]/gu, "");
}
