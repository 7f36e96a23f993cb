// Saying whom a message is for, in a real browser: with a finger, and without losing what is being written.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Looking, NARROW, WIDE } from "../page/support/looking";

let looking: Looking;
beforeAll(async () => {
  looking = await Looking.begin();
});
afterAll(() => looking?.end());

test("a finger opens the list, takes a name and takes it out again; the field keeps the focus", async () => {
  const context = await looking.browser.newContext({ viewport: NARROW, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await looking.show(page, "talk");
  const field = page.getByRole("textbox", { name: "Message" });
  const hasFocus = () => field.evaluate((element) => element === document.activeElement);
  await field.tap();
  await page.keyboard.type("Have a look.");
  await page.getByRole("button", { name: "To…" }).tap();
  const option = page.getByRole("option", { name: /Ana's Claude/ });
  // A target that a finger finds (WCAG 2.5.8).
  expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(24);
  await option.tap();
  const chosen = page.getByRole("group", { name: "To:" });
  await chosen.getByText("Ana's Claude").waitFor();
  expect(await hasFocus()).toBe(true);
  expect(await page.getByRole("listbox").count()).toBe(0);
  const out = page.getByRole("button", { name: "Not to Ana's Claude" });
  const size = await out.boundingBox();
  expect(Math.min(size?.width ?? 0, size?.height ?? 0)).toBeGreaterThanOrEqual(24);
  await out.tap();
  await chosen.waitFor({ state: "detached" });
  expect(await hasFocus()).toBe(true);
  expect(await field.inputValue()).toBe("Have a look.");
  await context.close();
});

test("a name that is taken in the middle of a text leaves the caret behind it", async () => {
  const { page, faults } = await looking.open("talk", WIDE);
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Ask , please.");
  await field.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(4, 4));
  await page.keyboard.type("@claude");
  await page.getByRole("option", { name: /Ana's Claude/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("!");
  expect(await field.inputValue()).toBe("Ask Ana's Claude!, please.");
  expect(faults).toEqual([]);
  await page.close();
});
