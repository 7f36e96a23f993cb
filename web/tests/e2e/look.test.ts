// What the page looks like in each state: in light and dark, wide and narrow, without flaws that axe finds, without a
// refusal of the plane's policy. Pictures are left in `shots/`, to be looked at.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLOSED } from "../../src/page/closed/texts";
import { Looking, NARROW, NARROWEST, tooWide, WIDE, ZOOMED } from "../page/support/looking";

const SEATED = [
  "fresh",
  "talk",
  "auto",
  "low",
  "proposal",
  "warning",
  "lost",
  "broken",
  "view",
  "loading",
  "crowded",
];
const PLAIN = ["door", "door-view", "entering", "opening", "knocking", "exposed", "rest"];
const SCENES = [...PLAIN, ...SEATED];
const SIZES = { wide: WIDE, narrow: NARROW };

let looking: Looking;
beforeAll(async () => {
  looking = await Looking.begin();
});
afterAll(() => looking?.end());

describe.each(["light", "dark"] as const)("in %s", (scheme) => {
  describe.each(Object.entries(SIZES))("%s", (name, size) => {
    test.each(SCENES)("%s", async (scene) => {
      const { page, faults } = await looking.open(scene, size, scheme);
      await looking.picture(page, `${scene}-${name}-${scheme}`);
      expect(await looking.flaws(page)).toEqual([]);
      expect(await tooWide(page)).toBe(0);
      expect(faults).toEqual([]);
      await page.close();
    });

    test("a conversation read from its beginning, and a message that is pointed at", async () => {
      const { page, faults } = await looking.open("talk", size, scheme);
      await page.evaluate(() => document.getElementById("transcript")?.scrollTo(0, 0));
      await page.getByText("I spent the morning").first().hover();
      await looking.picture(page, `begin-${name}-${scheme}`);
      await page.locator("figure").first().scrollIntoViewIfNeeded();
      await page.locator(".keyword").first().waitFor();
      await looking.picture(page, `code-${name}-${scheme}`);
      expect(await looking.flaws(page)).toEqual([]);
      expect(faults).toEqual([]);
      await page.close();
    });

    test("whom a message is for: the list, and who was chosen", async () => {
      const { page, faults } = await looking.open("crowded", size, scheme);
      const field = page.getByRole("textbox", { name: "Message" });
      await field.pressSequentially("@ana");
      await page.keyboard.press("Enter");
      await field.pressSequentially("@max");
      await page.keyboard.press("Enter");
      await looking.picture(page, `recipients-${name}-${scheme}`);
      await field.pressSequentially("Does @");
      const list = page.getByRole("listbox", { name: "Whom it is for" });
      await list.waitFor();
      await page.keyboard.press("ArrowUp");
      // The one the keyboard is on is in sight, and so is the list.
      const [box, on] = [await list.boundingBox(), await list.locator("[aria-selected=true]").boundingBox()];
      if (box === null || on === null) throw new Error("no list");
      expect(on.y).toBeGreaterThanOrEqual(box.y);
      expect(on.y + on.height).toBeLessThanOrEqual(box.y + box.height);
      expect(box.y).toBeGreaterThanOrEqual(0);
      await looking.picture(page, `addressing-${name}-${scheme}`);
      expect(await looking.flaws(page)).toEqual([]);
      expect(await tooWide(page)).toBe(0);
      expect(faults).toEqual([]);
      await page.close();
    });

    test("each way of being closed says what to do next", async () => {
      const { page, faults } = await looking.open("closed", size, scheme);
      for (const [why, { title }] of Object.entries(CLOSED)) {
        await page.evaluate((reason) => {
          const { session } = window as unknown as { session: { show: (view: unknown) => void } };
          session.show({ phase: { kind: "closed", why: reason } });
        }, why);
        await page.getByRole("heading", { level: 1, name: title }).waitFor();
        expect(await page.locator(".steps li").count(), why).toBeGreaterThan(0);
        await looking.picture(page, `closed-${why}-${name}-${scheme}`);
        expect(await looking.flaws(page), why).toEqual([]);
        expect(await tooWide(page), why).toBe(0);
      }
      expect(faults).toEqual([]);
      await page.close();
    });
  });

  test("what unfolds and what lies over the page", async () => {
    const { page, faults } = await looking.open("auto", NARROW, scheme);
    await page.getByRole("button", { name: /here/ }).click();
    await looking.picture(page, `side-narrow-${scheme}`);
    expect(await looking.flaws(page)).toEqual([]);
    await page.getByRole("button", { name: "Invite…" }).click();
    await page.getByRole("button", { name: "Show the QR code" }).click();
    await page.getByRole("img", { name: /QR/ }).waitFor();
    await looking.picture(page, `hand-narrow-${scheme}`);
    expect(await looking.flaws(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });

  test("a proposal that is being written, the keys, and what was refused", async () => {
    const { page, faults } = await looking.open("trouble", WIDE, scheme);
    await page.getByRole("button", { name: "Propose auto…" }).click();
    await page.getByRole("button", { name: "Propose", exact: true }).click();
    await page.getByRole("button", { name: "Leave…" }).click();
    await looking.picture(page, `propose-wide-${scheme}`);
    expect(await looking.flaws(page)).toEqual([]);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await looking.picture(page, `keys-wide-${scheme}`);
    expect(await looking.flaws(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });
});

test.each(SCENES)("%s needs no sideways scrolling at 320 pixels, nor at twice the size", async (scene) => {
  for (const [name, size] of Object.entries({ narrowest: NARROWEST, zoomed: ZOOMED })) {
    const { page } = await looking.open(scene, size);
    await looking.picture(page, `${scene}-${name}`);
    expect(await tooWide(page), name).toBe(0);
    await page.close();
  }
});

test.each(["door", "auto", "warning"])("%s in forced colours", async (scene) => {
  const { page, faults } = await looking.blank(WIDE, "dark");
  await page.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
  await looking.show(page, scene);
  await looking.picture(page, `${scene}-forced`);
  expect(faults).toEqual([]);
  await page.close();
});

test("in forced colours the one the keyboard is on in a list differs from the others", async () => {
  const { page } = await looking.blank(WIDE, "dark");
  await page.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
  await looking.show(page, "talk");
  await page.getByRole("textbox", { name: "Message" }).pressSequentially("@");
  const edge = (selected: boolean) =>
    page
      .locator(`[role=option][aria-selected=${selected}]`)
      .first()
      .evaluate((option) => getComputedStyle(option).outlineStyle);
  expect(await edge(true)).toBe("solid");
  expect(await edge(false)).toBe("none");
  await looking.picture(page, "addressing-forced");
  await page.close();
});

test("nothing moves for those who want it so", async () => {
  const { page } = await looking.open("loading", WIDE);
  const moving = await page.evaluate(() =>
    document.getAnimations().map((one) => (one.effect as KeyframeEffect | null)?.target?.className ?? "?"),
  );
  expect(moving).toEqual([]);
  await page.close();
});
