// The part with HPKE: what a load that fails leaves.
import { expect, test, vi } from "vitest";
import { loadHpke, Unloaded } from "../../../src/seal/hpke-part";

const part = vi.hoisted(() => ({ comes: false }));

vi.mock("../../../src/seal/hpke", (original) => {
  if (!part.comes) throw new TypeError("no such chunk");
  return original();
});

test("is asked for again where it did not come, and no more where it did", async () => {
  await expect(loadHpke()).rejects.toBeInstanceOf(Unloaded);
  part.comes = true;
  const { openPsk } = await loadHpke();
  expect(openPsk).toBeTypeOf("function");
  part.comes = false;
  expect((await loadHpke()).openPsk).toBe(openPsk);
});
