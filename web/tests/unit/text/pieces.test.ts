// A message of 8 kB becomes a bounded number of pieces, whatever it is made of; what is beyond is there as it was written.
import { describe, expect, test } from "vitest";
import { type Block, blocks } from "../../../src/text/blocks";
import type { Inline } from "../../../src/text/inline";
import { LINK_PIECES, PART_LINES, PIECES_MAX } from "../../../src/text/limits";

function inlines(block: Block): readonly Inline[] {
  if (block.kind === "table") return [block.table.head, ...block.table.rows].flat(2);
  if (block.kind === "list") return block.entries.flatMap((entry) => entry.inline);
  return "inline" in block ? block.inline : [];
}

const wide = (columns: number) => ["a", "-", "b"].map((sign) => `|${`${sign}|`.repeat(columns)}`).join("\n");

describe.each([
  ["emphasis", "*a* ".repeat(2_000), "*a* *a*"],
  ["code", "`a` ".repeat(2_000), "`a` `a`"],
  ["links", "http://a.b ".repeat(800), "http://a.b http://a.b"],
  ["a list of emphasis", `- ${"*a* ".repeat(30)}\n`.repeat(60), "*a* *a*"],
  ["headings", `# ${"*a* ".repeat(30)}\n`.repeat(60), "# *a* *a*"],
  ["a wide table", wide(990), "|b|b|"],
  ["many tables", `${wide(30)}\n\n`.repeat(40), "|b|b|"],
])("%s", (_, text, written) => {
  const found = blocks(text);

  test("are no more pieces than there may be", () => {
    const pieces = found.flatMap(inlines);
    const links = pieces.filter(({ kind }) => kind === "link").length;
    // The piece that goes over the bound, and the rest, come to it; of a list, the entries that are left, one each.
    expect(pieces.length + links * (LINK_PIECES - 1)).toBeLessThanOrEqual(PIECES_MAX + PART_LINES);
  });

  test("end as they were written", () => {
    const last = found.at(-1);
    const rest = last?.kind === "code" ? last.text : last && inlines(last).at(-1)?.text;
    expect(rest).toContain(written);
  });
});

test("an ordinary message is not touched by that", () => {
  const text = `# Found\n\n${"Some *words* and `code`, see https://a.example/x.\n\n".repeat(30)}`;
  expect(blocks(text)).toEqual(blocks(text, Infinity));
});

test("each further part that is asked for has its own", () => {
  const kinds = blocks("*a* ".repeat(2_000), 2 * PIECES_MAX).flatMap(inlines);
  expect(kinds.length).toBeGreaterThan(2 * PIECES_MAX - 2);
});
