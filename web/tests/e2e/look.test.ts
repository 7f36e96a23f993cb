// The page in a real browser, over sessions made by hand: under the plane's own policy, in light and dark, wide and
// narrow. Pictures of each state are left in `shots/`, to be looked at.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve, type Served } from "../page/support/serve";

const WEB = new URL("../../", import.meta.url).pathname;
const SHOTS = process.env["SHOTS"] ?? `${WEB}shots`;
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const SCENES = ["door", "knocking", "talk", "auto", "proposal", "warning", "view", "closed", "exposed"];
const SIZES = { wide: { width: 1280, height: 860 }, narrow: { width: 360, height: 740 } };
/** Reflow at 320 CSS pixels: nothing may need sideways scrolling (WCAG 1.4.10). */
const NARROWEST = { width: 320, height: 640 };

let served: Served;
let browser: Browser;
let axe: string;

beforeAll(async () => {
  await build({ configFile: `${WEB}tests/page/support/look.config.ts`, logLevel: "error" });
  served = await serve(`${WEB}dist-look`, `${WEB}static/icon.svg`);
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
});

afterAll(async () => {
  await browser?.close();
  await served?.end();
});

interface Opened {
  page: Page;
  /** What went wrong in the page: errors, refusals of the policy, requests to elsewhere. */
  faults: string[];
}

async function open(
  scene: string,
  size: { width: number; height: number },
  colorScheme: "light" | "dark",
): Promise<Opened> {
  const page = await browser.newPage({ viewport: size, colorScheme, reducedMotion: "reduce" });
  page.setDefaultTimeout(10_000);
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(served.origin) && !/^(?:blob|data):/.test(request.url()))
      faults.push(request.url());
  });
  await page.goto(`${served.origin}/look.html?scene=${scene}`);
  await page.waitForSelector("main");
  await page.waitForLoadState("networkidle");
  return { page, faults };
}

/** Serious faults that axe finds. The library is put in by the debugger, past the policy, which forbids it to the page. */
async function flaws(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: library } = window as unknown as {
      axe: {
        run: () => Promise<{
          violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      };
    };
    const { violations } = await library.run();
    return violations
      .filter(({ impact }) => impact !== "minor")
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join(" | ")}`,
      );
  });
}

describe.each(["light", "dark"] as const)("in %s", (scheme) => {
  describe.each(Object.entries(SIZES))("%s", (name, size) => {
    test.each(SCENES)("%s", async (scene) => {
      const { page, faults } = await open(scene, size, scheme);
      await page.screenshot({ path: `${SHOTS}/${scene}-${name}-${scheme}.png` });
      expect(await flaws(page)).toEqual([]);
      expect(faults).toEqual([]);
      await page.close();
    });
  });

  test("what unfolds and what lies over the page", async () => {
    const { page, faults } = await open("auto", SIZES.narrow, scheme);
    await page.getByRole("button", { name: /here/ }).click();
    await page.screenshot({ path: `${SHOTS}/side-narrow-${scheme}.png` });
    expect(await flaws(page)).toEqual([]);
    await page.getByRole("button", { name: "Hand on" }).click();
    await page.getByRole("button", { name: "Show the QR code" }).click();
    await page.getByRole("img", { name: /QR/ }).waitFor();
    await page.screenshot({ path: `${SHOTS}/hand-narrow-${scheme}.png` });
    expect(await flaws(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });
});

test.each(SCENES)("%s needs no sideways scrolling at 320 pixels", async (scene) => {
  const { page } = await open(scene, NARROWEST, "light");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
    NARROWEST.width,
  );
  await page.close();
});

describe("ten thousand messages", () => {
  test("are there within a second", async () => {
    const { page } = await open("many", SIZES.wide, "light");
    const painted = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity,
    );
    expect(painted).toBeLessThan(1_000);
    await page.close();
  });

  test("stand in the page by at most 200 nodes, and scroll without a task over 100 ms", async () => {
    const { page, faults } = await open("many", SIZES.wide, "light");
    const seen = await page.evaluate(async () => {
      const box = document.getElementById("transcript");
      if (box === null) throw new Error("no transcript");
      const tasks: number[] = [];
      new PerformanceObserver((list) =>
        tasks.push(...list.getEntries().map(({ duration }) => duration)),
      ).observe({
        type: "longtask",
      });
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      let nodes = 0;
      for (let step = 0; step < 240; step += 1) {
        box.scrollTop -= step % 40 === 39 ? 60_000 : 400;
        await frame();
        nodes = Math.max(nodes, box.querySelectorAll("article").length);
      }
      await frame();
      return { nodes, longest: Math.max(0, ...tasks) };
    });
    expect(seen.nodes).toBeGreaterThan(0);
    expect(seen.nodes).toBeLessThanOrEqual(200);
    expect(seen.longest).toBeLessThanOrEqual(100);
    expect(faults).toEqual([]);
    await page.close();
  });

  test("begin at the newest, stay there when more come, and stay put when the reader is elsewhere", async () => {
    const { page } = await open("many", SIZES.wide, "light");
    const last = page.locator("article").last();
    await expect.poll(() => last.getAttribute("aria-posinset")).toBe("10000");
    const add = (seq: number) =>
      page.evaluate((number) => {
        const { session, message } = window as unknown as {
          session: { add: (item: unknown) => void };
          message: (seq: number, text: string) => unknown;
        };
        session.add(message(number, `Added ${number}`));
      }, seq);
    await add(10_001);
    await page.getByText("Added 10001", { exact: true }).last().waitFor();
    await expect
      .poll(() =>
        page.evaluate(() => {
          const box = document.getElementById("transcript");
          return box === null ? -1 : Math.round(box.scrollHeight - box.clientHeight - box.scrollTop);
        }),
      )
      .toBeLessThanOrEqual(2);

    await page.evaluate(() => document.getElementById("transcript")?.scrollBy(0, -5_000));
    await page.getByRole("button", { name: "Jump to newest" }).waitFor();
    await page.waitForTimeout(300);
    const topmost = () =>
      page.evaluate(() => {
        const box = document.getElementById("transcript")?.getBoundingClientRect();
        const row = [...document.querySelectorAll("article")].find(
          (one) => one.getBoundingClientRect().top >= (box?.top ?? 0),
        );
        return `${row?.getAttribute("aria-posinset")} at ${Math.round(row?.getBoundingClientRect().top ?? 0)}`;
      });
    const before = await topmost();
    await add(10_002);
    await add(10_003);
    await page.getByRole("button", { name: "Jump to newest (2 new)" }).waitFor();
    expect(await topmost()).toBe(before);
    await page.getByRole("button", { name: "Jump to newest (2 new)" }).click();
    await expect.poll(() => page.locator("article").last().getAttribute("aria-posinset")).toBe("10003");
    await page.close();
  });

  test("are walked through by keyboard, the focus on one message at a time", async () => {
    const { page } = await open("many", SIZES.wide, "light");
    const on = () => page.evaluate(() => document.activeElement?.getAttribute("aria-posinset"));
    await page.keyboard.press("G");
    await expect.poll(on).toBe("10000");
    for (let step = 0; step < 30; step += 1) await page.keyboard.press("k");
    await expect.poll(on).toBe("9970");
    await page.keyboard.press("g");
    await expect.poll(on).toBe("1");
    await page.keyboard.press("j");
    await expect.poll(on).toBe("2");
    await page.close();
  });

  test("are searched without a task over 100 ms", async () => {
    const { page } = await open("many", SIZES.wide, "light");
    await page.keyboard.press("/");
    await page.getByRole("searchbox").fill("message 77");
    await expect
      .poll(() => page.locator("[role=search] [role=status]").textContent())
      .toMatch(/^\s*\d+ of \d+\s*$/);
    await page.locator("mark").first().waitFor();
    await page.screenshot({ path: `${SHOTS}/search-wide-light.png` });
    await page.close();
  });
});
