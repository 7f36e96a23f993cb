// The small rooms of text: hidden characters, addresses, parts of long texts, what is searched for.
import { describe, expect, test } from "vitest";
import { address, showsHost } from "../../../src/text/address";
import { redact } from "../../../src/seal";
import { cut } from "../../../src/text/found";
import { oneLine, visible } from "../../../src/text/hidden";
import { highlight } from "../../../src/text/highlight";
import { HIGHLIGHT_MAX, PART_CHARACTERS, PART_LINES } from "../../../src/text/limits";
import { part } from "../../../src/text/part";

describe("hidden characters", () => {
  test.each([
    ["a bidi override", "access \u202egpj.exe\u202c", "access gpj.exe", 2],
    ["zero width", "p\u200ba\u200cs\u200ds\u2060w\ufefford", "password", 5],
    ["tags", "hello\u{e0069}\u{e0067}", "hello", 2],
    ["escapes, of which the rest is seen", "\u001b[31mred\u001b[0m", "[31mred[0m", 2],
    ["C1", "\u009b31mred", "31mred", 1],
    ["fillers", "a\u3164b\u115fc", "abc", 2],
    ["a Braille blank, which is a blank", "a\u2800b", "a b", 0],
    ["line ends", "a\r\nb\u2028c\u0085d", "a\nb\nc\nd", 0],
    ["a lone carriage return", "evil command\rsafe", "evil commandsafe", 1],
    ["emoji style", "\u2764\ufe0f", "\u2764", 0],
    ["what is no character", "\uffff\ufdd0\u{10ffff}", "", 3],
    ["half a pair", "a\ud800b", "ab", 1],
    ["right-to-left letters, which are seen", "שלום", "שלום", 0],
    ["a pile of marks", `a${"\u0301".repeat(20)}b`, `a${"\u0301".repeat(8)}b`, 12],
  ])("%s", (_, raw, text, hidden) => {
    expect(visible(raw)).toEqual({ text, hidden });
  });

  test("a name is one line", () => {
    expect(oneLine(" Alice\nsystem:  auto ")).toBe("Alice system: auto");
  });
});

describe("addresses", () => {
  test("show the host that is asked, not the one that it looks like", () => {
    const target = address("https://pl\u0430ne.example/s");
    expect(target?.host).toBe("xn--plne-63d.example");
    expect(target && showsHost("https://pl\u0430ne.example/s", target)).toBe(false);
  });

  // The rules of finding a link (crypto.md section 4.1) undo up to four rounds of percent-encoding.
  test.each([
    "#dp1f",
    "#%64p1f",
    "%23dp1f",
    "#%2564p1f",
    "#%252564p%31f",
    "#DP1V",
    "#dp1%E2%80%8Bf",
    "#d=p1f",
  ])("that lead to a session stay text, however they are spelled: %s", (begun) => {
    const token = `${begun}${"abcdefgh".repeat(8)}`;
    expect(address(`https://plane.example/s/0192f7c04a1b4c2d8e3f5a6b7c8d9e0f${token}`)).toBeUndefined();
    expect(redact(`see ${token}, please`)).not.toMatch(/[a-h]{16}/);
  });

  test("with an escape or a path like a session's are none of those", () => {
    expect(address("https://example.org/s/a%20b%23c")?.host).toBe("example.org");
    const text = "a%20b https://example.org/s/0123456789abcdef?dp=1&q=%64p1 x=>y";
    expect(redact(text)).toBe(text);
  });

  test("are shown as they stand where that is the truth", () => {
    const target = address("https://Plane.example:8443/x?y#z");
    expect(target && showsHost("https://Plane.example:8443/x?y#z", target)).toBe(true);
    expect(target && showsHost("the plane", target)).toBe(false);
  });
});

describe("parts of a long text", () => {
  test("a short one is whole", () => {
    expect(part("abc", 1)).toEqual({ text: "abc", left: 0 });
  });

  test("many lines are cut at a line", () => {
    const text = Array.from({ length: 500 }, (_, at) => `line ${at}`).join("\n");
    expect(part(text, 1).text.split("\n")).toHaveLength(PART_LINES);
    expect(part(text, 2).text.split("\n")).toHaveLength(2 * PART_LINES);
  });

  test("one long line is cut by characters, never inside one", () => {
    const crabs = "a" + "🦀".repeat(20_000);
    const { text, left } = part(crabs, 1);
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeLessThanOrEqual(PART_CHARACTERS);
    expect(text.length + left).toBe(crabs.length);
  });
});

describe("what is searched for", () => {
  test("is found in any case, and the text stays what it is", () => {
    expect(cut("Export exports", "export")).toEqual([
      { text: "Export", hit: true },
      { text: " ", hit: false },
      { text: "export", hit: true },
      { text: "s", hit: false },
    ]);
  });

  test("does not lose its place where a small letter is longer", () => {
    const cuts = cut("İİ export", "export");
    expect(cuts.find(({ hit }) => hit)?.text).toBe("export");
    expect(cuts.map(({ text }) => text).join("")).toBe("İİ export");
  });
});

describe("colours for code", () => {
  test("come as tokens whose text is the code", async () => {
    const code = 'fn main() { let a = "<b>"; } // end';
    const tokens = await highlight("rust", code);
    expect(tokens?.map(({ text }) => text).join("")).toBe(code);
    expect(tokens).toContainEqual({ text: "fn", part: "keyword" });
    expect(tokens).toContainEqual({ text: '"<b>"', part: "string" });
    expect(tokens).toContainEqual({ text: "// end", part: "comment" });
  });

  test.each([
    ["an unknown language", "klingon", "a"],
    ["a language that is a name of every object", "constructor", "a"],
    ["no language", "", "a"],
    ["too much of it", "rust", "a".repeat(HIGHLIGHT_MAX + 1)],
  ])("do not come for %s", async (_, language, code) => {
    expect(await highlight(language, code)).toBeUndefined();
  });
});
