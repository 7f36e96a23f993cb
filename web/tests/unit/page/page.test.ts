// The pure rooms of the page: words, rows of the transcript, search.
import { describe, expect, test } from "vitest";
import type { Item, MessageItem } from "../../../src/session/model";
import { CLOSED } from "../../../src/page/closed/texts";
import { fileName } from "../../../src/page/save";
import { find } from "../../../src/page/search/find";
import { wantedOf } from "../../../src/page/search/wanted";
import { dayBegins, goesOn, indexOf, lastSeq, newerThan, unreadBy } from "../../../src/page/transcript/rows";
import { ago, count, countdown, calledAs, dayName, span } from "../../../src/page/words";
import { ANA, BOT, ME, message, NOW } from "../../page/support/double";

describe("words", () => {
  test.each([
    [0, "0:00"],
    [-5_000, "0:00"],
    [999, "0:01"],
    [65_000, "1:05"],
    [3_600_000, "1:00:00"],
  ])("%i ms left are %s", (ms, text) => expect(countdown(ms)).toBe(text));

  test.each([
    [1_000, "1 second"],
    [1_800_000, "30 minutes"],
    [7_500_000, "2 hours 5 minutes"],
  ])("%i ms are %s", (ms, text) => expect(span(ms)).toBe(text));

  test("a day has its year where that is not this one", () => {
    expect(dayName(NOW, NOW)).toBe("Monday, November 30");
    expect(dayName(NOW, NOW + 40 * 86_400_000)).toBe("Monday, November 30, 2026");
  });

  test("the rest", () => {
    expect(ago(NOW - 30_000, NOW)).toBe("now");
    expect(ago(NOW - 300_000, NOW)).toBe("5 min ago");
    expect(count(1, "message")).toBe("1 message");
    expect(count(2_000, "message")).toBe("2,000 messages");
    expect(fileName("Über/../etc: passwd", "md")).toBe("u-ber-etc-passwd.md");
    expect(fileName(undefined, "json")).toBe("session.json");
  });
});

test("a name in plain text has what tells it apart", () => {
  expect(calledAs(ANA)).toBe("Ana Ferreira");
  expect(calledAs({ ...ANA, tag: "79f2" })).toBe("Ana Ferreira #79f2");
});

describe("rows", () => {
  const pending = (seq: number, at: number): MessageItem =>
    message(seq, "p", { author: ME, pending: "sending", at });
  const items: Item[] = [
    message(3, "a"),
    { kind: "gap", seq: 4, until: 9, text: "gone" },
    message(10, "b", { author: BOT }),
    message(12, "c", { author: ME }),
    pending(-2, NOW),
    pending(-1, NOW),
  ];

  test("are found by seq, also those on their way", () => {
    expect([3, 4, 10, 12, -2, -1].map((seq) => indexOf(items, seq))).toEqual([0, 1, 2, 3, 4, 5]);
    expect([1, 5, 11, 13, -3].map((seq) => indexOf(items, seq))).toEqual([-1, -1, -1, -1, -1]);
  });

  test("that are new are those of others", () => {
    expect(newerThan(items, 3).map(({ seq }) => seq)).toEqual([10]);
    expect(newerThan(items, 12)).toEqual([]);
    expect(lastSeq(items)).toBe(12);
  });

  test("that somebody has not read are the messages of others, up to a number", () => {
    expect(unreadBy(items, 2, ME.id)).toBe("2");
    expect(unreadBy(items, 3, BOT.id)).toBe("1");
    expect(unreadBy(items, 10, ME.id)).toBe("");
    const event = (seq: number): Item => ({ kind: "event", seq, at: NOW, text: "x", tone: "plain" });
    expect(unreadBy([message(1, "a"), event(2), event(3)], 1, ME.id)).toBe("");
    const many = Array.from({ length: 10_000 }, (_, at) => message(at + 1, "x"));
    expect(unreadBy(many, 9_901, ME.id)).toBe("99");
    expect(unreadBy(many, 9_900, ME.id)).toBe("99+");
  });

  test("begin a day at midnight of this machine", () => {
    const late = new Date(2026, 10, 30, 23, 59).getTime();
    expect(dayBegins(message(2, "b", { at: late + 120_000 }), message(1, "a", { at: late }))).toBe(true);
    expect(dayBegins(message(2, "b", { at: late + 30_000 }), message(1, "a", { at: late }))).toBe(false);
    expect(dayBegins(message(1, "a"), undefined)).toBe(true);
  });

  test("go on only for the same author, soon, and where nothing else has to be said", () => {
    const first = message(1, "a", { at: NOW, author: ANA });
    const then = (more: Partial<MessageItem>) =>
      goesOn(message(2, "b", { at: NOW + 60_000, author: ANA, ...more }), first);
    expect(then({})).toBe(true);
    expect(then({ author: BOT })).toBe(false);
    expect(then({ at: NOW + 600_000 })).toBe(false);
    expect(then({ mentionsYou: true })).toBe(false);
    expect(then({ replyTo: 1 })).toBe(false);
  });
});

describe("search", () => {
  const items = [
    message(1, "The Export loses rows"),
    message(2, "no", { topic: "export" }),
    message(3, "no", { paths: ["src/export.rs"] }),
    message(4, "nothing"),
  ];
  const all = (query: string, later: (slice: () => void) => void = (slice) => slice()) => {
    let seen: { seqs: readonly number[]; done: boolean } | undefined;
    find(items, wantedOf(query), (seqs, done) => (seen = { seqs, done }), later);
    return seen;
  };

  test("looks at text, topic and paths, in any case", () => {
    expect(all(" EXPORT ")).toEqual({ seqs: [1, 2, 3], done: true });
  });

  test("finds nothing for no words", () => {
    expect(all("  ")).toEqual({ seqs: [], done: true });
  });

  test("goes on in slices when time is short, and stops when told to", () => {
    const many = Array.from({ length: 1_000 }, (_, at) => message(at + 1, "export"));
    let time = 0;
    const slices: (() => void)[] = [];
    let seqs: readonly number[] = [];
    let finished = false;
    const end = find(
      many,
      "export",
      (found, done) => {
        seqs = found;
        finished = done;
      },
      (slice) => slices.push(slice),
      () => (time += 100),
    );
    expect(finished).toBe(false);
    expect(seqs.length).toBeLessThan(1_000);
    while (slices.length > 0 && !finished) slices.shift()?.();
    expect(seqs).toHaveLength(1_000);
    end();
  });
});

test("a search asks for the time after a few very long messages as well", () => {
  const long = Array.from({ length: 20 }, (_, at) => message(at + 1, "a".repeat(150_000)));
  let asked = 0;
  find(
    long,
    "zebra",
    () => undefined,
    (slice) => slice(),
    () => (asked += 1),
  );
  expect(asked).toBeGreaterThan(9);
});

test("every end of the way says what happened and what to do next", () => {
  for (const [why, { title, happened, next }] of Object.entries(CLOSED)) {
    expect(title, why).toMatch(/\.$/);
    expect(happened, why).not.toBe("");
    expect(next.length, why).toBeGreaterThan(0);
  }
});
