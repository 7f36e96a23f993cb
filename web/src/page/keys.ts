// Which key means what on the page. A key belongs to the field it is typed in; nothing is taken from there, nor from
// the browser's own combinations. Pure.

export type Command = "next" | "previous" | "first" | "newest" | "search" | "compose" | "reply" | "help";

export const KEYS: readonly { keys: readonly string[]; command: Command; says: string }[] = [
  { keys: ["j", "ArrowDown"], command: "next", says: "Next message" },
  { keys: ["k", "ArrowUp"], command: "previous", says: "Previous message" },
  { keys: ["g"], command: "first", says: "First message" },
  { keys: ["G"], command: "newest", says: "Newest message" },
  { keys: ["r"], command: "reply", says: "Reply to the message you are on" },
  { keys: ["c"], command: "compose", says: "Write" },
  { keys: ["/"], command: "search", says: "Search" },
  { keys: ["?"], command: "help", says: "This help" },
];

const OWN = "input, textarea, select, [contenteditable], dialog[open]";
/** Where arrows have a meaning of their own. */
const ARROWS_OWN = `${OWN}, pre, summary, [role="radiogroup"], #side`;

/** A key that goes to what composes characters, and is nobody else's; Safari says so by the number alone. */
export const composing = ({ isComposing, keyCode }: KeyboardEvent): boolean => isComposing || keyCode === 229;

/** What a key pressed at `target` asks for; without `characters` only keys that write nothing do (WCAG 2.1.4). */
export function command(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">,
  target: EventTarget | null,
  characters = true,
): Command | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  if (!characters && event.key.length === 1) return undefined;
  const where = event.key.startsWith("Arrow") ? ARROWS_OWN : OWN;
  if (target instanceof Element && target.closest(where) !== null) return undefined;
  return KEYS.find(({ keys }) => keys.includes(event.key))?.command;
}
