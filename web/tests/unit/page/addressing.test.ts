// Where an `@` asks for a name, who fits, and what stays of it in the text.
import { describe, expect, test } from "vitest";
import { afterChoice, fitting, soughtAt, TO_MAX } from "../../../src/page/composer/addressing";
import { ANA, BOT, ME, person } from "../../page/support/double";

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
  const after = afterChoice(plain, found, ANA);
  expect(`${after.text.slice(0, after.caret)}|${after.text.slice(after.caret)}`).toBe(expected);
});

test("a name leaves no sign in the text that would address somebody", () => {
  const { text } = afterChoice("Ask @c", { from: 4, to: 6, words: "c" }, person("c @Ana"));
  expect(text).toBe("Ask c Ana ");
});
