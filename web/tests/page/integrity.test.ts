// Whether what is read is whole: the look and the spoken word say no more than is so.
import { render, screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import Integrity from "../../src/page/seat/Integrity.svelte";
import type { Integrity as Value } from "../../src/session/model";

function open(integrity: Partial<Value>) {
  render(Integrity, { integrity: { state: "whole", sentence: "Checked.", checkedFrom: 1, ...integrity } });
  const state = screen.getByText("Checked.").closest("p") as HTMLElement;
  return [
    state.querySelector(".sign")?.textContent,
    state.querySelector(".unseen")?.textContent,
    state.className,
  ];
}

test("whole is whole", () => {
  expect(open({})).toEqual(["✓", "Whole:", expect.stringContaining("whole")]);
});

test("with a message that did not pass it is neither green nor called whole, and asks for nothing", () => {
  const [sign, word, look] = open({ withheld: 1 });
  expect([sign, word]).toEqual(["!", "Not all of it:"]);
  expect(look).not.toMatch(/whole|warning/);
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.queryByRole("button", { name: /go on/ })).toBeNull();
});

test.each([
  ["warning", "!", "Warning:"],
  ["broken", "✕", "Broken:"],
] as const)("an alarm is more than that: %s", (state, sign, word) => {
  expect(open({ state, withheld: 1 })).toEqual([sign, word, expect.stringContaining(state)]);
});
