// The page over sessions made by hand, in a real browser and under the plane's own policy.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { build, type InlineConfig } from "vite";
import { serve, type Served } from "./serve";

export const WEB = new URL("../../../", import.meta.url).pathname;
const SHOTS = process.env["SHOTS"] ?? `${WEB}shots`;
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export interface Size {
  width: number;
  height: number;
}

export const WIDE: Size = { width: 1280, height: 860 };
export const NARROW: Size = { width: 360, height: 740 };
/** Reflow at 320 CSS pixels: nothing may need sideways scrolling (WCAG 1.4.10). */
export const NARROWEST: Size = { width: 320, height: 640 };
/** What is left of the wide window at a zoom of 200 % (WCAG 1.4.4). */
export const ZOOMED: Size = { width: 640, height: 430 };

/** Builds as for those who get the page; the tests' own environment would build it as for somebody who works on it. */
export async function built(config: InlineConfig): ReturnType<typeof build> {
  const before = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production";
  try {
    return await build({ ...config, logLevel: "error" });
  } finally {
    process.env["NODE_ENV"] = before;
  }
}

export interface Opened {
  page: Page;
  /** What went wrong in the page: errors, refusals of the policy, requests to elsewhere. */
  faults: string[];
}

export class Looking {
  private constructor(
    readonly browser: Browser,
    private readonly served: Served,
    private readonly axe: string,
  ) {}

  static async begin(): Promise<Looking> {
    await built({ configFile: `${WEB}tests/page/support/look.config.ts` });
    const served = await serve(`${WEB}dist-look`, `${WEB}static/icon.svg`);
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    return new Looking(browser, served, axe);
  }

  async end(): Promise<void> {
    await this.browser.close();
    await this.served.end();
  }

  /** An empty page that notes what goes wrong in it. */
  async blank(size: Size, colorScheme: "light" | "dark" = "light"): Promise<Opened> {
    const page = await this.browser.newPage({ viewport: size, colorScheme, reducedMotion: "reduce" });
    page.setDefaultTimeout(20_000);
    const faults: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(this.served.origin) && !/^(?:blob|data):/.test(request.url()))
        faults.push(request.url());
    });
    return { page, faults };
  }

  async show(page: Page, scene: string): Promise<void> {
    await page.goto(`${this.served.origin}/look.html?scene=${scene}`);
    await page.waitForSelector("main");
    await page.waitForLoadState("networkidle");
  }

  async open(scene: string, size: Size, scheme: "light" | "dark" = "light"): Promise<Opened> {
    const opened = await this.blank(size, scheme);
    await this.show(opened.page, scene);
    return opened;
  }

  async picture(page: Page, name: string): Promise<void> {
    await page.screenshot({ path: `${SHOTS}/${name}.png` });
  }

  /** Faults that axe finds, less the minor ones. The debugger puts the library in: the policy forbids it to the page. */
  async flaws(page: Page): Promise<string[]> {
    await page.evaluate(this.axe);
    return page.evaluate(async () => {
      const { axe } = window as unknown as {
        axe: {
          run: () => Promise<{
            violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
          }>;
        };
      };
      const { violations } = await axe.run();
      return violations
        .filter(({ impact }) => impact !== "minor")
        .map(
          ({ id, nodes }) =>
            `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join(" | ")}`,
        );
    });
  }
}

/** How many CSS pixels the page is wider than its window. */
export const tooWide = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
