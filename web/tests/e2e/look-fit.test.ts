// What must stay beside each other where there is little room, in a real browser.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Looking, NARROW, WIDE } from "../page/support/looking";

let looking: Looking;
beforeAll(async () => {
  looking = await Looking.begin();
});
afterAll(() => looking?.end());

test("the title keeps to one line at 768 pixels, and ends in dots where it is longer", async () => {
  const { page } = await looking.open("crowded", { width: 768, height: 900 });
  await looking.picture(page, "crowded-768");
  const title = await page.locator("h1").evaluate((element) => {
    const { lineHeight } = getComputedStyle(element);
    return {
      lines: element.clientHeight / parseFloat(lineHeight),
      isCut: element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth,
    };
  });
  expect(title.lines).toBeLessThan(1.5);
  expect(title.isCut).toBe(true);
  const [heading, state] = await Promise.all([
    page.locator("h1").boundingBox(),
    page.locator(".bar .connection").boundingBox(),
  ]);
  expect(state?.x ?? 0).toBeGreaterThan((heading?.x ?? 0) + (heading?.width ?? 0) - 1);
  await page.close();
});

test.each([NARROW, WIDE])("a long name in the list keeps what it is beside it, %o", async (size) => {
  const { page } = await looking.open("crowded", size);
  if (size === NARROW) await page.getByRole("button", { name: /here/ }).click();
  const name = page.locator("#side li .who", { hasText: "Maximiliane" });
  await name.scrollIntoViewIfNeeded();
  await looking.picture(page, `names-${size.width}`);
  const [called, kind] = await Promise.all([
    name.locator(".called").boundingBox(),
    name.locator(".kind").boundingBox(),
  ]);
  if (called === null || kind === null) throw new Error("no name");
  expect(kind.x).toBeGreaterThanOrEqual(called.x + called.width - 1);
  expect(kind.y).toBeLessThan(called.y + called.height);
  await page.close();
});

test.each([320, 360, 640, 961, 1_024, 1_060, 1_280])(
  "what sends stays in one line with the rest of the options, %d pixels wide",
  async (width) => {
    const { page } = await looking.open("talk", { width, height: 860 });
    const boxes = await Promise.all(
      ["To…", "Send"].map((name) => page.getByRole("button", { name, exact: true }).boundingBox()),
    );
    const [to, send] = boxes;
    if (!to || !send) throw new Error("no options");
    expect(Math.abs(to.y + to.height / 2 - (send.y + send.height / 2))).toBeLessThan(to.height / 2);
    await page.close();
  },
);
