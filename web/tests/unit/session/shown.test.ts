// Other people's text and names. The cases are those of the installed client, an implementation of its own.
import { describe, expect, test } from "vitest";
import { nameTable, shownName, shownProgram, unknownName } from "../../../src/session/names";
import { shown, shownTitle } from "../../../src/session/shown";

describe("hidden characters", () => {
  test.each([
    ["plain text\n\twith lines", "plain text\n\twith lines", 0],
    ["a\u{200B}b\u{2060}c\u{FEFF}", "abc", 3],
    ["user\u{202E}txt.exe\u{202C}", "usertxt.exe", 2],
    ["\u{2066}x\u{2069}\u{200E}", "x", 3],
    ["hi\u{E0001}\u{E0069}\u{E0067}\u{E007F}", "hi", 4],
    ["a\u{FE01}\u{E0100}b", "ab", 2],
    ["\u{1b}[31mred\u{1b}[0m", "[31mred[0m", 2],
    ["\u{9b}31mred\u{7f}\u{8}", "31mred", 3],
    ["bell\u{7}nul\0", "bellnul", 2],
    ["\u{ad}\u{34f}\u{61c}\u{115f}\u{3164}\u{180e}", "", 6],
    ["one\r\ntwo\u{2028}three\u{85}four", "one\ntwo\nthree\nfour", 0],
    ["over\rwritten", "overwritten", 1],
    ["warn \u{26A0}\u{FE0F} ok", "warn \u{26A0} ok", 0],
    ["smuggled \u{26A0}\u{FE0F}\u{FE0E}\u{FE0F}", "smuggled \u{26A0}", 2],
    ["a\u{2800}b", "a b", 0],
    ["\u{FFFF}x\u{FDD0}\u{10FFFF}\u{FFFC}", "x", 4],
    ["\u{301}a\u{301}\n\u{301}b", "a\u{301}\nb", 2],
    ["Grüße, 你好, שלום, 🙂", "Grüße, 你好, שלום, 🙂", 0],
  ])("of %j are taken out and counted", (raw, text, hidden) => {
    expect(shown(raw)).toEqual({ text, hidden });
  });

  test("are all that Unicode ignores, and all controls", () => {
    const ranges = [
      [0xad, 0xad],
      [0x34f, 0x34f],
      [0x61c, 0x61c],
      [0x115f, 0x1160],
      [0x17b4, 0x17b5],
      [0x180b, 0x180f],
      [0x200b, 0x200f],
      [0x202a, 0x202e],
      [0x2060, 0x206f],
      [0x3164, 0x3164],
      [0xfe00, 0xfe0f],
      [0xfeff, 0xfeff],
      [0xffa0, 0xffa0],
      [0xfff0, 0xfff8],
      [0x1bca0, 0x1bca3],
      [0x1d173, 0x1d17a],
      [0xe0000, 0xe0fff],
      [0x0, 0x8],
      [0xb, 0xc],
      [0xe, 0x1f],
      [0x7f, 0x84],
      [0x86, 0x9f],
    ] as const;
    const points = ranges.flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at),
    );
    const seen = points.filter((point) => shown(`a${String.fromCodePoint(point)}b`).text !== "ab");
    expect(seen).toEqual([]);
  });

  test("do not hide a link or a token", () => {
    const link = "https://p.example/s/1#dp1f\u{200B}aaaabbbb\u{AD}ccccddddeeee";
    expect(shown(link).text).toBe("https://p.example/s/1#[session link withheld]");
    expect(shown("token dpm_\u{2060}AAAAAAAAAAAAAAAAAAAAAAAA").text).toBe("token [token withheld]");
    expect(shownName("dp1faaaabbbb\u{200D}ccccddddeeee")).not.toContain("aaaa");
    expect(shownTitle("x dps_AAAAAAAAAAAAAAAAAAAAAAAA")).not.toContain("AAAA");
  });
});

describe("names and titles", () => {
  test("are one line, cut between characters", () => {
    expect(shownName("  Ana\n\u{1b}[31m Lima\u{202E} ")).toBe("Ana [31m Lima");
    expect(shownName("é".repeat(64))).toBe("é".repeat(64));
    expect(shownName("é".repeat(65))).toBe(`${"é".repeat(63)}…`);
    expect(shownTitle("é".repeat(5_000))).toBe(`${"é".repeat(199)}…`);
    for (const nothing of ["", " \n", "\u{200B}\u{3164}"]) {
      expect([shownName(nothing), shownTitle(nothing)]).toEqual(["unnamed", "untitled"]);
    }
  });

  test("can't close their quotation marks", () => {
    expect(shownName('Ana" (you), pinned \u{201D}x\u{FF02}')).toBe(
      "Ana' (you), pinned 'x' [a participant's own name]",
    );
  });

  test.each([
    "system",
    "SYSTEM",
    "[system]",
    "S.Y.S.T.E.M",
    "sys\u{200B}tem",
    "5ystem",
    "ѕуѕtem",
    "ｓｙｓｔｅｍ",
    "system2",
    "human operator",
    "hum\u{430}n",
    "devpi1ot",
    "Dev Pilot",
    "assistant",
    "𝐬𝐲𝐬𝐭𝐞𝐦",
    "Ana #79f2",
    "Ana (79F2)",
    "Ana # 79f2",
    "s\u{338}y\u{338}stem",
    "Adm1n",
    "the host",
    "tool:",
    "you",
    "YOU",
    "y0u",
    "you and Ben",
    "me",
    "server",
    "the server",
    "everybody",
    "unknown",
    "unnamed",
    "Olga 79f2",
    "Olga 79F2",
    "Olga · 79f2",
    "Olga ７９f2",
    "Olga: 1234",
    "Olga -79f2.",
    "Olga dada",
  ])("like one of ours, as %j, are said to be somebody's own", (raw) => {
    expect(shownName(raw)).toMatch(/ \[a participant's own name\]$/);
  });

  test.each([
    "Ana",
    "Sam's agent",
    "Youssef",
    "Mei",
    "Sam Bede",
    "79f2",
    "gpt-4096",
    "Olga 79f2a",
    "systematic",
    "Userina",
    "Toolan",
    "Planet",
    "黄",
    "Hosteen",
    "Ana #1",
    "Ana (2024a)",
    "C# dev",
  ])("like %j are what they are", (raw) => {
    expect(shownName(raw)).toBe(raw);
  });

  test("of our own program are no look-alike of themselves", () => {
    expect(shownProgram("devpilot-session")).toBe("devpilot-session");
    expect(shownProgram("Devpilot-session")).toBe("Devpilot-session [a participant's own name]");
  });

  test("that look alike get four symbols of the id each", () => {
    const id = (digits: string) => `${digits}0000-0000-8000-8000-000000000000`;
    const table = nameTable([
      [id("1a1a"), "Ana"],
      [id("2b2b"), "Аna"],
      [id("3c3c"), "Sam"],
    ]);
    expect(table.get(id("1a1a"))).toEqual({ name: "Ana", tag: "1a1a" });
    expect(table.get(id("2b2b"))).toEqual({ name: "Аna", tag: "2b2b" });
    expect(table.get(id("3c3c"))).toEqual({ name: "Sam" });
    expect(unknownName(id("5e5e"))).toEqual({ name: "unknown", tag: "5e5e" });
  });
});
