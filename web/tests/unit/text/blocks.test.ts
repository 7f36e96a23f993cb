// What a message is parsed into: the part of Markdown that agents write, and nothing more.
import { describe, expect, test } from "vitest";
import { blocks } from "../../../src/text/blocks";
import { inline } from "../../../src/text/inline";

const kinds = (text: string) => blocks(text).map(({ kind }) => kind);
const plain = (text: string) => ({ kind: "text", text });

describe("blocks", () => {
  test("paragraphs end at an empty line and keep their line breaks", () => {
    expect(blocks("one\ntwo\n\nthree")).toEqual([
      { kind: "paragraph", inline: [plain("one\ntwo")] },
      { kind: "paragraph", inline: [plain("three")] },
    ]);
  });

  test("a fence keeps everything up to one at least as long", () => {
    expect(blocks("````rust\n```\nlet a = *b*;\n````\nafter")).toEqual([
      { kind: "code", language: "rust", text: "```\nlet a = *b*;" },
      { kind: "paragraph", inline: [plain("after")] },
    ]);
  });

  test("a fence that nobody closes goes to the end", () => {
    expect(blocks("before\n~~~\na\n\nb")).toEqual([
      { kind: "paragraph", inline: [plain("before")] },
      { kind: "code", language: "", text: "a\n\nb" },
    ]);
  });

  test("lists keep the numbers that were written, and how deep an entry is", () => {
    expect(blocks("3. three\n4. four\n   - inside\n   and on")).toEqual([
      {
        kind: "list",
        ordered: true,
        entries: [
          { depth: 0, number: 3, inline: [plain("three")] },
          { depth: 0, number: 4, inline: [plain("four")] },
          { depth: 1, inline: [plain("inside\nand on")] },
        ],
      },
    ]);
  });

  test("headings, quotes, rules and tables", () => {
    expect(kinds("# Title\n> said\n> again\n---\n| a | b |\n|---|---|\n| 1 | 2 |")).toEqual([
      "heading",
      "quote",
      "rule",
      "table",
    ]);
  });

  test("a table has a head and cells; what has no line of dashes, or too many cells, stays as it was written", () => {
    expect(blocks("| a | `b` |\n|:--|---|\n| 1 \\| 2 | |")).toEqual([
      {
        kind: "table",
        table: {
          head: [[plain("a")], [{ kind: "code", text: "b" }]],
          rows: [[[plain("1 | 2")], []]],
        },
      },
    ]);
    expect(blocks("| a | b |\n| 1 | 2 |")).toEqual([
      { kind: "code", language: "", text: "| a | b |\n| 1 | 2 |" },
    ]);
    expect(kinds(`| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(1_000)}`)).toEqual(["code"]);
  });

  test("a fenced diff has its signs, and file heads are told from removed lines", () => {
    const [block] = blocks(
      "```diff\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n--- a dash was removed\n+new\n same\n```",
    );
    expect(block).toEqual({
      kind: "diff",
      lines: [
        { kind: "file", text: "--- a/x" },
        { kind: "file", text: "+++ b/x" },
        { kind: "hunk", text: "@@ -1,2 +1,2 @@" },
        { kind: "removed", text: "-old" },
        { kind: "removed", text: "--- a dash was removed" },
        { kind: "added", text: "+new" },
        { kind: "same", text: " same" },
      ],
    });
  });

  test("a unified diff is found without a fence, and ends where it ends", () => {
    expect(kinds("look:\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nThat is all.")).toEqual([
      "paragraph",
      "diff",
      "paragraph",
    ]);
  });

  test("what only looks like a diff is none", () => {
    expect(kinds("--- end 0123456789abcdef ---\nnow follow these steps")).toEqual(["paragraph"]);
  });
});

describe("pieces of a paragraph", () => {
  test("code, emphasis and links", () => {
    expect(inline("a `b*c*` **d** *e* [f](https://g.example/h)")).toEqual([
      plain("a "),
      { kind: "code", text: "b*c*" },
      plain(" "),
      { kind: "strong", text: "d" },
      plain(" "),
      { kind: "emphasis", text: "e" },
      plain(" "),
      { kind: "link", text: "f", to: { href: "https://g.example/h", host: "g.example" } },
    ]);
  });

  test.each([
    ["see https://a.example/b.", "https://a.example/b"],
    ["(https://a.example/b)", "https://a.example/b"],
    ["https://a.example/wiki/B_(c), yes", "https://a.example/wiki/B_(c)"],
  ])("an address ends before the punctuation after it: %s", (text, address) => {
    expect(inline(text).find(({ kind }) => kind === "link")).toMatchObject({ text: address });
  });

  test.each([
    "[click](javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "file:///etc/passwd \\\\evil.example\\share",
    "mailto:a@evil.example www.evil.example",
    "https://plane.example@evil.example/",
    `https://plane.example/s/${"0".repeat(32)}#dp1f${"a".repeat(64)}`,
    "![status](ftp://evil.example/p.png)",
    "2 * 3 * 4 and snake_case_names and **",
  ])("stays text: %s", (text) => {
    expect(inline(text).filter(({ kind }) => kind !== "text")).toEqual([]);
  });

  test("joined they are what was written", () => {
    const text = "no signs, [half a link](http and *half an emphasis, `half a code";
    expect(inline(text)).toEqual([plain(text)]);
  });
});

test.each([
  ["opening brackets", "["],
  ["emphasis", "*_"],
  ["backticks", "`a"],
  ["addresses", "https://a.example/("],
  ["line feeds", "\n"],
  ["fences", "```\n"],
  ["list entries", "- a\n"],
])("a long run of %s takes no time worth naming", (_, piece) => {
  const text = piece.repeat(Math.floor(8_000 / piece.length));
  const begun = performance.now();
  blocks(text);
  expect(performance.now() - begun).toBeLessThan(500);
});
