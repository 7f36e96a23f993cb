// How a quote says what it quotes: without the signs that form it, and in one line.
import { expect, test } from "vitest";
import { gist } from "../../../src/text/gist";

test.each([
  ["The cursor in `export.rs` is **too early**.", "The cursor in export.rs is too early."],
  ["# What I know\n\n- only rows\n- *no* error", "What I know only rows no error"],
  ["Here:\n```rust\nlet a = 1;\n```", "Here: let a = 1;"],
  ["> said\n1. one", "said 1. one"],
  ["[the chapter](https://example.org/a) and 2 * 3 * 4", "the chapter and 2 * 3 * 4"],
  ["```\n```", ""],
])("%s", (text, said) => {
  expect(gist(text, 140)).toBe(said);
});

test("is no longer than asked, and costs no more for a long text", () => {
  expect(gist("word ".repeat(100_000), 20)).toBe("word word word word ");
});
