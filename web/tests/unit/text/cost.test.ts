// No text may hold the page up: what would take the square of its length takes a few milliseconds (web.md: no task over
// 100 ms).
import { expect, test } from "vitest";
import { blocks } from "../../../src/text/blocks";
import { colour } from "../../../src/text/grammars";
import { cut, cutter } from "../../../src/text/found";
import { HIGHLIGHT_MAX, MARKS_SHOWN_MAX } from "../../../src/text/limits";

const MOST_MS = 100;
const LENGTH = 9_900;

/** Milliseconds of processor time of this process, the least of five: time in which others had the processor does not count. */
function cost(work: () => unknown): number {
  return Math.min(
    ...[1, 2, 3, 4, 5].map(() => {
      const begun = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1_000;
    }),
  );
}

test.each([
  ["a fence, blanks, a backtick", `\`\`\`${" ".repeat(LENGTH)}\``],
  ["tildes, a backtick", `${"~".repeat(LENGTH)}\``],
  ["a fence inside a list", `- a\n  \`\`\`${" ".repeat(LENGTH)}\``],
  ["blanks inside a paragraph", `a${" ".repeat(LENGTH)}x`],
  ["emphasis never closed", "**a".repeat(LENGTH / 3)],
  ["links never closed", "[a](https://".repeat(LENGTH / 12)],
])("%s", (_, text) => expect(cost(() => blocks(text))).toBeLessThan(MOST_MS));

test.each(["typescript", "cpp", "csharp", "ini", "rust"])(
  "the longest coloured %s of one word",
  (language) => {
    expect(cost(() => colour(language, "a".repeat(HIGHLIGHT_MAX)))).toBeLessThan(MOST_MS);
  },
);

test("one letter sought in a text of nothing else is marked some times, and soon", () => {
  const text = "a".repeat(200_000);
  expect(cost(() => cut(text, "a"))).toBeLessThan(MOST_MS);
  const cuts = cut(text, "a");
  expect(cuts.filter(({ hit }) => hit)).toHaveLength(MARKS_SHOWN_MAX);
  expect(cuts.map((piece) => piece.text).join("")).toBe(text);
});

test("the pieces of one message share what may be marked, and give it back when something else is sought", () => {
  const room = { left: MARKS_SHOWN_MAX };
  const cells = Array.from({ length: 600 }, () => cutter(room));
  const marked = (wanted: string) =>
    cells.flatMap(({ cut: cutCell }) => cutCell("abc abc", wanted)).filter(({ hit }) => hit).length;
  expect(cost(() => marked("b"))).toBeLessThan(MOST_MS);
  expect(marked("b")).toBe(MARKS_SHOWN_MAX);
  expect(marked("")).toBe(0);
  expect(room.left).toBe(MARKS_SHOWN_MAX);
  expect(marked("c")).toBe(MARKS_SHOWN_MAX);
  for (const { end } of cells) end();
  expect(room.left).toBe(MARKS_SHOWN_MAX);
});
