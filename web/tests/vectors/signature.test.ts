// Group `signature`: the answer of section 6.3 by either equation.
import { describe, expect, test } from "vitest";
import { isStrict, native, noble, type Equation } from "../../src/seal/signature/equation";
import { bytes, expectDistinct, key, vectors } from "./support";

test("every case has a name of its own", () => {
  expectDistinct(vectors.signature.map(({ name }) => name));
});

describe.each([native, noble])("signature, by $name", (equation) => {
  test("the trial finds it strict", async () => {
    expect(await isStrict(equation)).toBe(true);
  });

  test.each(vectors.signature)("$name", async ({ verification_key, signature, message, valid }) => {
    expect(await key(verification_key).verifies(bytes(signature), bytes(message), equation)).toBe(valid);
  });
});

describe("the rules before the equation, with one that takes everything", () => {
  const lax: Equation = { name: "native", holds: () => Promise.resolve(true) };
  const forms = /^(S (plus|equal)|R neutral$|cut$|key (of|neutral|not on|on the curve|with a part))/;
  const cases = vectors.signature.filter(({ name }) => forms.test(name));

  test("there are such cases", () => {
    expect(cases.length).toBeGreaterThan(20);
  });

  test.each(cases)("refuse: $name", async ({ verification_key, signature, message }) => {
    expect(await key(verification_key).verifies(bytes(signature), bytes(message), lax)).toBe(false);
  });
});

describe("the trial refuses an equation", () => {
  const always = (answer: boolean): Equation => ({ name: "native", holds: () => Promise.resolve(answer) });

  test("that takes everything", async () => {
    expect(await isStrict(always(true))).toBe(false);
  });

  test("that takes nothing, as where the platform has no Ed25519", async () => {
    expect(await isStrict(always(false))).toBe(false);
  });
});
