// Where the reader is stays where it is, in a real browser: at the end, or at what is being read, whatever changes its size.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Looking, NARROW, WIDE } from "../page/support/looking";

let looking: Looking;
beforeAll(async () => {
  looking = await Looking.begin();
});
afterAll(() => looking?.end());

const TURNED = { width: NARROW.height, height: NARROW.width };

/** How many pixels the end is away. */
const fromEnd = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const box = document.getElementById("transcript");
    return box === null ? -1 : Math.round(box.scrollHeight - box.clientHeight - box.scrollTop);
  });

/** The first message that begins in sight, and how far below the edge of the box. */
const topmost = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const edge = document.getElementById("transcript")?.getBoundingClientRect().top ?? 0;
    const row = [...document.querySelectorAll("article")].find(
      (one) => one.getBoundingClientRect().top >= edge,
    );
    return `${row?.getAttribute("aria-posinset")} at ${Math.round((row?.getBoundingClientRect().top ?? 0) - edge)}`;
  });

/** Frames enough for all that is measured to be measured and corrected. */
const settled = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 20; frame += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve));
  });

async function isAtEnd(page: Page): Promise<void> {
  await settled(page);
  await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(2);
  expect(await page.locator("article").last().getAttribute("aria-posinset")).toBe("10000");
  expect(await page.getByRole("button", { name: /Jump to newest/ }).count()).toBe(0);
}

async function elsewhere(page: Page): Promise<string> {
  await page.evaluate(() => document.getElementById("transcript")?.scrollBy(0, -6_000));
  await page.getByRole("button", { name: /Jump to newest/ }).waitFor();
  await settled(page);
  return topmost(page);
}

const draft = (page: Page, lines: number): Promise<void> =>
  page.getByRole("textbox", { name: "Message" }).fill("line\n".repeat(lines));

test.each(["talk", "auto", "crowded"])("the page begins at the end: %s", async (scene) => {
  const { page } = await looking.open(scene, NARROW);
  await settled(page);
  expect(await fromEnd(page)).toBeLessThanOrEqual(2);
  expect(await page.getByRole("button", { name: /Jump to newest/ }).count()).toBe(0);
  await page.close();
});

describe("who is at the end stays there", () => {
  test("when the phone is turned, and turned back", async () => {
    const { page } = await looking.open("many", NARROW);
    await isAtEnd(page);
    for (const size of [TURNED, NARROW, TURNED, NARROW]) {
      await page.setViewportSize(size);
      await isAtEnd(page);
    }
    await page.close();
  });

  test("when the field grows by lines and by letters, shrinks, and a reply is begun and given up", async () => {
    const { page } = await looking.open("many", NARROW);
    await isAtEnd(page);
    await draft(page, 8);
    await isAtEnd(page);
    await page.keyboard.type("Each letter measures the field.");
    await isAtEnd(page);
    await draft(page, 1);
    await isAtEnd(page);
    await page.getByRole("button", { name: /^Reply to message 10000/ }).click();
    await page.getByRole("button", { name: "Not a reply" }).waitFor();
    await isAtEnd(page);
    await page.getByRole("button", { name: "Not a reply" }).click();
    await isAtEnd(page);
    await page.close();
  });

  test("when a message becomes higher, by what is said of it or by the line above what is new", async () => {
    const { page } = await looking.open("many", NARROW);
    await isAtEnd(page);
    await page.evaluate(() => {
      const { session, message } = window as unknown as {
        session: { add: (item: unknown) => void };
        message: (seq: number, text: string) => unknown;
      };
      const see = (state?: string) => {
        if (state === undefined) Reflect.deleteProperty(document, "visibilityState");
        else Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
        document.dispatchEvent(new Event("visibilitychange"));
      };
      see("hidden");
      for (let seq = 10_001; seq <= 10_003; seq += 1) session.add(message(seq, `Added ${seq}`));
      Object.assign(window, { see });
    });
    await settled(page);
    await page.evaluate(() => (window as unknown as { see: () => void }).see());
    await page.getByText("New", { exact: true }).waitFor();
    await settled(page);
    expect(await fromEnd(page)).toBeLessThanOrEqual(2);
    await page.close();
  });

  test("when the search opens and closes, and the window changes", async () => {
    const { page } = await looking.open("many", WIDE);
    await isAtEnd(page);
    await page.keyboard.press("/");
    await page.getByRole("searchbox").waitFor();
    await isAtEnd(page);
    await page.keyboard.press("Escape");
    await isAtEnd(page);
    for (const width of [1000, 640, 1400]) {
      await page.setViewportSize({ width, height: 500 + width / 4 });
      await isAtEnd(page);
    }
    await page.close();
  });
});

test("who was at the end, or elsewhere, is there again when what unfolds in a narrow window is folded", async () => {
  const { page } = await looking.open("many", NARROW);
  await isAtEnd(page);
  const fold = async (name: RegExp) => {
    await page.getByRole("button", { name }).click();
    await settled(page);
  };
  await fold(/here/);
  await fold(/^Transcript$/);
  await isAtEnd(page);
  const before = await elsewhere(page);
  await fold(/here/);
  await fold(/^Transcript$/);
  expect(await topmost(page)).toBe(before);
  await page.close();
});

describe("what is read elsewhere stays in its place", () => {
  test("when the phone is turned, and turned back", async () => {
    const { page } = await looking.open("many", NARROW);
    await isAtEnd(page);
    const before = await elsewhere(page);
    for (const size of [TURNED, NARROW, TURNED, NARROW]) {
      await page.setViewportSize(size);
      await settled(page);
      expect(await topmost(page)).toBe(before);
    }
    await page.close();
  });

  test("when the field grows and shrinks, and something is typed into it", async () => {
    const { page } = await looking.open("many", NARROW);
    await isAtEnd(page);
    const before = await elsewhere(page);
    await draft(page, 8);
    await settled(page);
    expect(await topmost(page)).toBe(before);
    await page.keyboard.type("More.");
    await draft(page, 1);
    await settled(page);
    expect(await topmost(page)).toBe(before);
    await page.close();
  });

  test("when it is scrolled up after the width changed: heights of the other width move nothing", async () => {
    const { page } = await looking.open("many", WIDE);
    await elsewhere(page);
    await page.setViewportSize(NARROW);
    await settled(page);
    const moved = await page.evaluate(async () => {
      const box = document.getElementById("transcript");
      if (box === null) throw new Error("no transcript");
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const at = () =>
        new Map(
          [...box.querySelectorAll("article")].map((one) => [
            one.getAttribute("aria-posinset"),
            one.getBoundingClientRect().top,
          ]),
        );
      let most = 0;
      for (let step = 0; step < 30; step += 1) {
        const before = at();
        box.scrollTop -= 90;
        await frame();
        await frame();
        const steps = [...at()].flatMap(([place, top]) => {
          const was = before.get(place);
          return was === undefined ? [] : [Math.abs(top - was - 90)];
        });
        most = Math.max(most, Math.min(...steps));
      }
      return most;
    });
    expect(moved).toBeLessThanOrEqual(2);
    await page.close();
  });
});

test("history that comes while it is read is not counted as new; what comes afterwards is", async () => {
  const { page } = await looking.open("loading", NARROW);
  await page.evaluate(() => document.getElementById("transcript")?.scrollTo(0, 0));
  const newest = page.getByRole("button", { name: /^Jump to newest/ });
  await newest.waitFor();
  const come = (from: number, count: number, last: boolean) =>
    page.evaluate(
      ([first, many, isLast]) => {
        const { session, message } = window as unknown as {
          session: { add: (...items: unknown[]) => void; finish: (...items: unknown[]) => void };
          message: (seq: number, text: string) => unknown;
        };
        const items = Array.from({ length: many }, (_, at) => message(first + at, `Number ${first + at}`));
        if (isLast) session.finish(...items);
        else session.add(...items);
      },
      [from, count, last] as const,
    );
  await come(13, 500, false);
  await page.evaluate(() => {
    const { session } = window as unknown as { session: { show: (view: unknown) => void } };
    session.show({ connection: "live" });
  });
  await come(513, 500, true);
  await page.locator("progress").waitFor({ state: "detached" });
  expect((await newest.textContent())?.trim()).toBe("Jump to newest");
  await come(1_013, 1_200, false);
  await page.getByRole("button", { name: "Jump to newest (1,200 new)" }).waitFor();
  await page.close();
});
