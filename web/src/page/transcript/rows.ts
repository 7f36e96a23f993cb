// What the transcript is to the list that shows it: a key for each item, a guess of its height, whether a day begins
// with it or an author goes on. Pure.
import type { Item, MessageItem, View } from "../../session/model";
import { sameDay } from "../words";

/** How long an author goes on without being named again. */
const GOES_ON_MS = 5 * 60_000;

/** What tells an item from all others, for as long as it is shown. */
export const keyOf = (item: Item): number => item.seq;

/** Of its element; what names and describes it has this at the beginning of its own. */
export const idOf = (item: Item): string => `message-${item.seq}`;

/** The ids of what names it: its author, or itself where it has none, and its time. */
export function namedBy(item: Item): string {
  const id = idOf(item);
  if (item.kind === "gap") return id;
  return `${item.kind === "message" ? `${id}-by` : id} ${id}-at`;
}

/** As many blocks of a message as somebody hears at once. */
const HEARD = 12;
const PARTS = ["marks", ...Array.from({ length: HEARD }, (_, at) => `says-${at}`), "notes", "refused"];

/** The ids of what describes it. A description takes the words on all buttons in it along, so of a message it is put together
 * of what has none: its marks, its blocks, as many as there are, and what is noted of it. */
export function describedBy(item: Item): string {
  const id = idOf(item);
  return item.kind === "message" ? PARTS.map((part) => `${id}-${part}`).join(" ") : `${id}-says`;
}

export const timeOf = (item: Item): number | undefined => (item.kind === "gap" ? undefined : item.at);

/** A first guess in CSS pixels, put right when the item is drawn. */
export function guess(item: Item | undefined): number {
  if (item === undefined || item.kind !== "message") return 36;
  const lines = Math.min(60, Math.ceil(item.text.length / 80) + item.text.split("\n", 60).length - 1);
  return 44 + lines * 24 + (item.replyTo === undefined ? 0 : 30);
}

/** Whether a new day of the calendar begins with this item. */
export function dayBegins(item: Item, before: Item | undefined): boolean {
  const [at, earlier] = [timeOf(item), before && timeOf(before)];
  return at !== undefined && (earlier === undefined ? before === undefined : !sameDay(at, earlier));
}

/** Whether the same author goes on shortly after, so that the head need not be drawn again. */
export function goesOn(item: MessageItem, before: Item | undefined): boolean {
  return (
    before?.kind === "message" &&
    before.author.id === item.author.id &&
    item.at - before.at < GOES_ON_MS &&
    sameDay(item.at, before.at) &&
    item.replyTo === undefined &&
    !item.mentionsYou &&
    item.topic === before.topic
  );
}

/** Where an item of this seq stands, or -1. Items are in order of seq, and those not in the transcript yet come last. */
export function indexOf(items: readonly Item[], seq: number): number {
  if (seq < 0) return items.findLastIndex((item) => item.seq === seq);
  let [low, high] = [0, items.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = items[middle]?.seq ?? 0;
    if (found === seq) return middle;
    if (found < 0 || found > seq) high = middle - 1;
    else low = middle + 1;
  }
  return -1;
}

/** The messages of others with a seq above this one. */
export function newerThan(items: readonly Item[], seq: number): MessageItem[] {
  const newer: MessageItem[] = [];
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item === undefined || (item.seq >= 0 && item.seq <= seq)) break;
    if (item.kind === "message" && item.seq > seq && !item.author.you) newer.push(item);
  }
  return newer.reverse();
}

/** Where the first item stands with a seq above this one, those on their way left out. */
function above(items: readonly Item[], seq: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = items[middle]?.seq ?? 0;
    if (found >= 0 && found <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Beyond this it is only said that there are more. */
const COUNTED_MAX = 99;

/** Messages of others that somebody who read up to `seq` has not read: "3", "99+"; empty for none. */
export function unreadBy(items: readonly Item[], seq: number, id: string): string {
  let count = 0;
  for (let at = above(items, seq); at < items.length && count <= COUNTED_MAX; at += 1) {
    const item = items[at];
    if (item?.kind === "message" && item.seq >= 0 && item.author.id !== id) count += 1;
  }
  if (count > COUNTED_MAX) return `${COUNTED_MAX}+`;
  return count === 0 ? "" : String(count);
}

/** The highest seq there is. */
export function lastSeq(items: readonly Item[]): number {
  return items.findLast((item) => item.seq >= 0)?.seq ?? 0;
}

/** Nothing was seen of the session yet, and it is on its way: a session that was seen has a record at least. */
export const isOpening = ({ items, loading, connection }: View): boolean =>
  items.length === 0 && (loading !== undefined || connection === "connecting" || connection === "waiting");
