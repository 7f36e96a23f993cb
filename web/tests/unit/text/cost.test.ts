// No text may hold the page up: what would take the square of its length takes a few milliseconds (web.md: no task over
// 100 ms).
import { expect, test } from "vitest";
import { blocks } from "../../../src/text/blocks";
import { colour } from "../../../src/text/grammars";
import { HIGHLIGHT_MAX } from "../../../src/text/limits";

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
