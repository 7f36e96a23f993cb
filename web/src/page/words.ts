// Times, spans, counts and names in plain words. Pure.
import type { Author, Mode } from "../session/model";
import { oneLine } from "../text/hidden";

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "long" });

export const clockTime = (at: number): string => CLOCK.format(at);
/** With the year, where that is not this one. */
export const dayName = (at: number, now = Date.now()): string =>
  (new Date(at).getFullYear() === new Date(now).getFullYear() ? DAY : DAY_OF_YEAR).format(at);
export const fullTime = (at: number): string => FULL.format(at);
export const dateOf = (at: number): string => DATE.format(at);
export const isoTime = (at: number): string => new Date(at).toISOString();

/** Whether two times lie on one day of this machine's calendar. */
export function sameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/** "1 message", "3 messages". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** A span left, as a clock shows it: "4:05", "1:00:00"; never below zero. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** What is left of auto. Two clocks are never quite together, and more than was agreed to is not shown. */
export function timeLeft(
  { endsAt = 0, ttlMs = Infinity }: Pick<Mode, "endsAt" | "ttlMs">,
  now: number,
): number {
  return Math.min(endsAt - now, ttlMs);
}

/** A span in words: "45 seconds", "30 minutes", "2 hours 5 minutes". */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return count(seconds, "second");
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return count(minutes, "minute");
  const rest = minutes % 60;
  return count(Math.floor(minutes / 60), "hour") + (rest === 0 ? "" : ` ${count(rest, "minute")}`);
}

/** How long ago, roughly: "now", "4 min ago", "3 h ago", else the day. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return dateOf(at);
}

/** A name as parts/Called.svelte draws it, where there is only text: "Ana", "Ana #79f2". */
export function calledAs({ name, tag }: Pick<Author, "name" | "tag">): string {
  const line = oneLine(name) || "unnamed";
  return tag === undefined ? line : `${line} #${tag}`;
}
