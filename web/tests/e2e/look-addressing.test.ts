// Saying whom a message is for, in a real browser: with a finger, and without losing what is being written.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Looking, NARROW, tooWide, WIDE } from "../page/support/looking";

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

test("a choice can be undone like what is typed", async () => {
  const { page, faults } = await looking.open("talk", WIDE);
  const field = page.getByRole("textbox", { name: "Message" });
  await field.pressSequentially("Ask @claude");
  await page.getByRole("option", { name: /Ana's Claude/ }).waitFor();
  await page.keyboard.press("Enter");
  expect(await field.inputValue()).toBe("Ask Ana's Claude ");
  await page.keyboard.press("Control+z");
  expect(await field.inputValue()).toMatch(/^Ask @/);
  await page.keyboard.press("Control+Shift+z");
  expect(await field.inputValue()).toBe("Ask Ana's Claude ");
  // At the beginning of a text nothing is put, and that can be undone as well.
  await field.fill("");
  await field.pressSequentially("@ana f");
  await page.keyboard.press("Enter");
  expect(await field.inputValue()).toBe("");
  await page.keyboard.press("Control+z");
  expect(await field.inputValue()).toMatch(/^@/);
  expect(faults).toEqual([]);
  await page.close();
});

test.each([NARROW, WIDE])(
  "in %o who was just chosen is in sight, and so is what is said of them",
  async (size) => {
    const { page, faults } = await looking.open("crowded", size);
    const to = page.getByRole("button", { name: "To…" });
    const chosen = page.getByRole("group", { name: "To:" });
    for (let at = 1; at <= 20; at++) {
      await to.click();
      await page.getByRole("option").first().click();
      const newest = chosen.getByRole("button").nth(at - 1);
      const [box, list] = [await newest.boundingBox(), await chosen.getByRole("list").boundingBox()];
      if (box === null || list === null) throw new Error("not drawn");
      expect(box.y).toBeGreaterThanOrEqual(list.y);
      expect(box.y + box.height).toBeLessThanOrEqual(list.y + list.height);
    }
    // By where it is drawn, since what lies under the edge of what scrolls counts as visible.
    const isOnTop = (element: Element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2) === element;
    };
    expect(await chosen.getByText("Everybody can read it.").evaluate(isOnTop)).toBe(true);
    expect(await chosen.getByText("No more than 20.").evaluate(isOnTop)).toBe(true);
    await looking.picture(page, `recipients-all-${size.width}`);
    expect(await looking.flaws(page)).toEqual([]);
    expect(await tooWide(page)).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  },
);

test("a press on the edge of the list, or on its last line, leaves it open", async () => {
  const { page, faults } = await looking.open("crowded", WIDE);
  await page.getByRole("button", { name: "To…" }).click();
  const list = page.getByRole("listbox");
  await list.click({ position: { x: 2, y: 2 } });
  const last = list.getByText(/more: type on/);
  if ((await last.count()) > 0) await last.click();
  expect(await list.isVisible()).toBe(true);
  expect(await page.locator("#write").evaluate((field) => field === document.activeElement)).toBe(true);
  expect(faults).toEqual([]);
  await page.close();
});
