// Where an `@` asks for a name, who fits, and what stays of it in the text.
import { describe, expect, test } from "vitest";
import { choiceOf, fitting, soughtAt, typedOn, type Sought } from "../../../src/page/composer/addressing";
import { TO_MAX } from "../../../src/page/limits";
import type { Person } from "../../../src/session/model";
import { ANA, BOT, ME, person } from "../../page/support/double";

/** The text after a choice, the caret where the bar stands. */
function chosen(text: string, found: Sought, whom: Person): string {
  const { from, to, put } = choiceOf(text, found, whom);
  return `${text.slice(0, from)}${put}|${text.slice(to)}`;
}

/** The caret is where the bar stands. */
const sought = (text: string) => soughtAt(text.replace("|", ""), text.indexOf("|"))?.words;

test.each([
  ["@|", ""],
  ["@an|", "an"],
  ["ask @Ana's Cl| please", "Ana's Cl"],
  ["(@b|", "b"],
  ["line\n@b|", "b"],
  ["a @one and @two|", "two"],
])("%s asks for a name", (text, words) => expect(sought(text)).toBe(words));

test.each([
  ["sam@example|", "an address of mail"],
  ["@ |", "a word by itself"],
  ["@ana\n|", "a line that is over"],
  ["|@ana", "the caret is before it"],
  ["plain|", "none"],
  [`@${"x".repeat(65)}|`, "longer than a name"],
])("%s does not: %s", (text) => expect(sought(text)).toBeUndefined());

describe("who fits", () => {
  const people = [ME, ANA, BOT, person("Kenji", { id: "79f2ab00", here: false })];
  const names = (words: string, chosen: string[] = []) =>
    fitting(people, words, chosen).map((one) => one.name);

  test.each([
    ["", ["Ana Ferreira", "Ana's Claude", "Kenji"]],
    ["ANA", ["Ana Ferreira", "Ana's Claude"]],
    ["claude", ["Ana's Claude"]],
    ["ana f", ["Ana Ferreira"]],
    ["erreira", []],
    ["79f2", ["Kenji"]],
    ["79f", []],
  ])("“%s”: a word of the name begins so, or the id", (words, expected) =>
    expect(names(words)).toEqual(expected),
  );

  test.each([
    ["jose", "Jos\u00E9"],
    ["JOS\u00C9", "Jose"],
    ["jose\u0301", "Jos\u00E9"],
    ["muller", "Anna M\u00FCller"],
  ])("%s finds %s: not every keyboard has every accent", (words, name) =>
    expect(fitting([person(name)], words, []).map((one) => one.name)).toEqual([name]),
  );

  test("a mark that is a letter of its own counts, and begins no word", () => {
    const puja = person("\u092A\u0942\u091C\u093E");
    expect(fitting([puja], "\u092A\u0940", [])).toEqual([]);
    expect(fitting([puja], "\u091C", [])).toEqual([]);
  });

  test("not oneself, and nobody twice", () => {
    expect(names("sam")).toEqual([]);
    expect(names("ana", [ANA.id])).toEqual(["Ana's Claude"]);
  });

  test("nobody more than a message shows", () => {
    const enough = Array.from({ length: TO_MAX }, (_, at) => `id-${at}`);
    expect(names("", enough)).toEqual([]);
    expect(names("", enough.slice(1)).length).toBe(3);
  });
});

test.each([
  ["@an|", "|"],
  ["  @an| look here", "  |look here"],
  ["Ask @an|", "Ask Ana Ferreira |"],
  ["Ask @an|, please", "Ask Ana Ferreira|, please"],
  ["Ask @an|now", "Ask Ana Ferreira |now"],
  ["Say| it", "Say| it"],
])("%s becomes %s", (text, expected) => {
  const [plain, caret] = [text.replace("|", ""), text.indexOf("|")];
  const found = soughtAt(plain, caret) ?? { from: caret, to: caret, words: "" };
  expect(chosen(plain, found, ANA)).toBe(expected);
});

test("a name leaves no sign in the text that would address somebody", () => {
  expect(chosen("Ask @c", { from: 4, to: 6, words: "c" }, person("c @Ana"))).toBe("Ask c Ana |");
});

// Whoever belongs to a name chose it, and it stands in somebody else's message.
test.each([
  ["[docs](https://evil.example/x)", "docs https evil example x"],
  ["![x](https://evil.example/x.png)", "x https evil example x png"],
  ["www.evil.example", "www evil example"],
  ["**bold** `c` _u_ ~~s~~", "bold c u s"],
  ["<img src=x onerror=alert(1)>", "img src x onerror alert 1"],
  ["# 1. Head | cell", "1 Head cell"],
  ["devpilot [a participant's own name]", "devpilot"],
  ["Jean-Luc O\u2019Neill Jr.", "Jean-Luc O\u2019Neill Jr."],
  ["\u0411\u0435\u043D \u092A\u0942\u091C\u093E", "\u0411\u0435\u043D \u092A\u0942\u091C\u093E"],
  ["\u{1F44D}\u{1F3FD} \u00C9mile", "\u{1F44D}\u{1F3FD} \u00C9mile"],
])("the name %j is put into the text as plain words", (name, words) => {
  const text = "Ask @x, please";
  const put = chosen(text, soughtAt(text, 6)!, person(name)).slice("Ask ".length, -"|, please".length);
  // A dot within a word would make an address of it in some readers.
  expect(put).toBe(words);
  expect(put).not.toMatch(/[[\]()*_`~<>#|!@:/\\]|\.\S/);
});

test("of a name of signs alone nothing is put, and what tells look-alikes apart stays", () => {
  const at = { from: 4, to: 6, words: "x" };
  expect(chosen("Ask @x", at, person("###"))).toBe("Ask |");
  expect(chosen("Ask @x", at, person("Ana", { tag: "79f2" }))).toBe("Ask Ana #79f2 |");
});

describe("where the list was opened without an @", () => {
  const opened = { from: 4, to: 4, words: "" };

  test("what is typed there finds somebody, and is gone once they are chosen", () => {
    const sought = typedOn("See it", opened, "See anit", 6);
    expect(sought).toEqual({ from: 4, to: 6, words: "an" });
    expect(chosen("See anit", sought!, ANA)).toBe("See |it");
    expect(typedOn("See anit", sought!, "See ait", 5)).toEqual({ from: 4, to: 5, words: "a" });
  });

  test.each([
    ["See  it", 5, "a blank"],
    ["See\n it", 4, "a change before it"],
    ["See i", 5, "a change behind it"],
    ["See it", 3, "the caret goes before it"],
    ["See it", 5, "the caret goes behind it"],
  ])("it ends with %j: %#", (text, caret) => expect(typedOn("See it", opened, text, caret)).toBeUndefined());
});
