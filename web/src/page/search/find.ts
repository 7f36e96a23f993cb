// Looks through what is here for some words: text, author, topic, kind, paths. In slices, so that many long messages
// don't hold the page up.
import type { Item } from "../../session/model";

/** How long one slice may take, in milliseconds, and how many items or characters it looks at before it asks for the time. */
const SLICE_MS = 12;
const STRIDE = 64;
const STRIDE_CHARACTERS = 200_000;

/** Whether an item has the wanted words in it; they are in small letters already. */
export function holds(item: Item, wanted: string): boolean {
  if (item.kind !== "message") return item.kind !== "unreadable" && item.text.toLowerCase().includes(wanted);
  return (
    item.text.toLowerCase().includes(wanted) ||
    item.author.name.toLowerCase().includes(wanted) ||
    item.messageKind.toLowerCase() === wanted ||
    item.topic?.toLowerCase().includes(wanted) === true ||
    item.paths.some((path) => path.toLowerCase().includes(wanted))
  );
}

/**
 * Seqs of the items that hold the words, in order, given again with each slice; `done` with the last. Calling what is
 * returned ends it.
 */
export function find(
  items: readonly Item[],
  wanted: string,
  found: (seqs: readonly number[], done: boolean) => void,
  later: (slice: () => void) => void = (slice) => setTimeout(slice),
  now: () => number = () => performance.now(),
): () => void {
  let ended = wanted === "";
  let at = 0;
  let seqs: readonly number[] = [];
  const slice = () => {
    if (ended) return;
    const until = now() + SLICE_MS;
    const more: number[] = [];
    let looked = 0;
    while (at < items.length) {
      const item = items[at];
      if (item !== undefined && holds(item, wanted)) more.push(item.seq);
      at += 1;
      if (item?.kind === "message") looked += item.text.length;
      if (at % STRIDE !== 0 && looked < STRIDE_CHARACTERS) continue;
      looked = 0;
      if (now() >= until) break;
    }
    seqs = [...seqs, ...more];
    found(seqs, at >= items.length);
    if (at < items.length) later(slice);
  };
  if (wanted === "") found([], true);
  else slice();
  return () => (ended = true);
}
