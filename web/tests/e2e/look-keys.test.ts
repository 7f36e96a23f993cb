// The page by keyboard alone, in a real browser: everything is reached, and the focus is never lost. What is read aloud
// is what is new, and not the transcript.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Looking, NARROW, WIDE } from "../page/support/looking";

let looking: Looking;
beforeAll(async () => {
  looking = await Looking.begin();
});
afterAll(() => looking?.end());

/** What has the focus, as somebody would name it. */
const focus = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return "nothing";
    const label =
      element.getAttribute("aria-label") ?? (element as HTMLInputElement).labels?.[0]?.textContent;
    return `${element.tagName.toLowerCase()} ${element.id || label || (element.textContent ?? "").trim()}`.trim();
  });

const show = (page: Page, view: unknown): Promise<void> =>
  page.evaluate((more) => {
    const { session } = window as unknown as { session: { show: (view: unknown) => void } };
    session.show(more);
  }, view);

const asked = (page: Page): Promise<unknown[]> =>
  page.evaluate(() =>
    (window as unknown as { session: { asked: unknown[][] } }).session.asked.map(([what]) => what),
  );

/** Goes on with Tab until something of this name has the focus. */
async function tabTo(page: Page, name: RegExp, most = 60): Promise<void> {
  const seen: string[] = [];
  for (let step = 0; step < most; step += 1) {
    await page.keyboard.press("Tab");
    const now = await focus(page);
    if (name.test(now)) return;
    seen.push(now);
  }
  throw new Error(`${name} was not reached: ${seen.join(", ")}`);
}

describe("by keyboard alone", () => {
  test("past the head, to the transcript, the composer, and what is beside", async () => {
    const { page } = await looking.open("talk", WIDE);
    await page.keyboard.press("Tab");
    expect(await focus(page)).toBe("a Skip to the transcript");
    await page.keyboard.press("Enter");
    expect(await focus(page)).toBe("div transcript");
    expect(page.url()).not.toContain("#");
    await page.keyboard.press("G");
    await expect.poll(() => focus(page)).toBe("article message-12");
    await page.keyboard.press("Tab");
    expect(await focus(page)).toBe("button Reply to message 12");
    await page.keyboard.press("Tab");
    expect(await focus(page)).toBe("button Copy message 12");
    await page.keyboard.press("Tab");
    expect(await focus(page)).toBe("textarea write");
    await page.keyboard.type("By keyboard.");
    await page.keyboard.press("Control+Enter");
    expect(await asked(page)).toEqual(["post"]);
    expect(await focus(page)).toBe("textarea write");
    await tabTo(page, /^button Propose auto/);
    await tabTo(page, /^button .*Export Markdown/);
    await page.close();
  });

  test("in by the door, and on to the transcript", async () => {
    const { page } = await looking.open("door", WIDE);
    expect(await focus(page)).toBe("input name");
    await tabTo(page, /^input name/);
    await page.keyboard.type("Sam");
    await page.keyboard.press("Enter");
    expect(await asked(page)).toEqual(["join"]);
    await show(page, { phase: { kind: "entering" } });
    expect(await focus(page)).toBe("input name");
    await show(page, { phase: { kind: "knocking", since: 0 } });
    await expect.poll(() => focus(page)).toMatch(/^main main/);
    await show(page, { phase: { kind: "seated" } });
    await expect.poll(() => focus(page)).toBe("div transcript");
    await show(page, { phase: { kind: "closed", why: "rekeyed" } });
    await expect.poll(() => focus(page)).toMatch(/^main main/);
    await page.close();
  });

  test("to the search, through what it finds, and back", async () => {
    const { page } = await looking.open("talk", WIDE);
    await page.keyboard.press("/");
    await expect.poll(() => focus(page)).toBe("input search");
    await page.keyboard.type("export");
    await page.locator("mark").first().waitFor();
    await page.keyboard.press("Enter");
    expect(await focus(page)).toBe("input search");
    await tabTo(page, /Older hit/);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("search").count()).toBe(0);
    await expect.poll(() => focus(page)).toMatch(/^article message-\d+/);
    await page.keyboard.press("/");
    await page.keyboard.type("nowhere to be found");
    await page.getByText("Nothing found").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focus(page)).toMatch(/^article message-\d+/);
    await page.close();
  });

  test("into a box that lies over the page and out of it", async () => {
    const { page } = await looking.open("talk", WIDE);
    await tabTo(page, /^button Invite/);
    await page.keyboard.press("Enter");
    await expect.poll(() => focus(page)).toBe("button Close");
    await tabTo(page, /^button Show the QR code/);
    await page.keyboard.press("Enter");
    await page.getByRole("img", { name: /QR/ }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.closest("dialog") !== null)).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => focus(page)).toBe("button Invite…");
    await page.keyboard.press("?");
    await expect.poll(() => focus(page)).toBe("button Close");
    await page.keyboard.press("Enter");
    await expect.poll(() => focus(page)).toBe("button Invite…");
    await page.close();
  });

  test("into what unfolds in a narrow window and back", async () => {
    const { page } = await looking.open("talk", NARROW);
    await tabTo(page, /^button observe/);
    await page.keyboard.press("Enter");
    await expect.poll(() => focus(page)).toMatch(/^section side/);
    await tabTo(page, /^button Invite/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await expect.poll(() => focus(page)).toBe("button Invite…");
    await page.keyboard.press("Escape");
    await expect.poll(() => focus(page)).toBe("div transcript");
    await page.close();
  });
});

test("the keyboard does not stop at each message on its way to the composer", async () => {
  const { page } = await looking.open("many", WIDE);
  await tabTo(page, /^a Skip to writing/, 3);
  await page.keyboard.press("Enter");
  expect(await focus(page)).toBe("textarea write");
  let stops = 0;
  for (; stops < 30 && !/Invite/.test(await focus(page)); stops += 1) await page.keyboard.press("Shift+Tab");
  expect(stops).toBeLessThan(12);
  await page.close();
});

describe("what had the focus goes, and the focus stays near", () => {
  const observe = { name: "observe", accepted: [], youAccepted: false };

  test.each([
    ["auto", /^button Stop now/, { mode: observe }, /^section Mode: observe/],
    ["proposal", /^button Accept$/, { proposal: undefined }, /^section Mode: relay/],
    [
      "warning",
      /^button I know/,
      { integrity: { state: "whole", sentence: "", checkedFrom: 1 } },
      /^div transcript/,
    ],
    ["auto", /^button Send again/, { items: [] }, /^div transcript/],
    ["auto", /^button Invite/, { ended: { why: "ended", at: 0 } }, /^div transcript/],
  ])("in %s: %s", async (scene, name, then, near) => {
    const { page } = await looking.open(scene, WIDE);
    await tabTo(page, name);
    await show(page, then);
    await expect.poll(() => focus(page)).toMatch(near);
    await page.close();
  });

  test.each([
    ["trouble", /^button Dismiss/, /^div transcript/],
    ["talk", /^button Propose auto/, /^textarea goal/],
    ["talk", /^button Leave/, /^div Leave\?/],
  ])("in %s, by pressing it: %s", async (scene, name, near) => {
    const { page } = await looking.open(scene, WIDE);
    await tabTo(page, name);
    await page.keyboard.press("Enter");
    await expect.poll(() => focus(page)).toMatch(near);
    await page.close();
  });

  test("a proposal or leaving that was begun and given up", async () => {
    const { page } = await looking.open("talk", WIDE);
    await tabTo(page, /^button Propose auto/);
    await page.keyboard.press("Enter");
    await tabTo(page, /^button Cancel/);
    await page.keyboard.press("Enter");
    await expect.poll(() => focus(page)).toMatch(/^section Mode: observe/);
    await tabTo(page, /^button Leave/);
    await page.keyboard.press("Enter");
    await tabTo(page, /^button Stay/);
    await page.keyboard.press("Enter");
    await expect.poll(() => focus(page)).toMatch(/^section This session/);
    await page.close();
  });

  test("a reply that was begun and given up", async () => {
    const { page } = await looking.open("talk", WIDE);
    await page.keyboard.press("G");
    await page.keyboard.press("r");
    await expect.poll(() => focus(page)).toBe("textarea write");
    await page.keyboard.press("Shift+Tab");
    expect(await focus(page)).toBe("button Not a reply");
    await page.keyboard.press("Enter");
    await expect.poll(() => focus(page)).toBe("textarea write");
    await page.close();
  });

  test("a focus that somebody took away is left away", async () => {
    const { page } = await looking.open("trouble", WIDE);
    await tabTo(page, /^button Dismiss/);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.waitForTimeout(100);
    await page.getByRole("button", { name: "Dismiss" }).evaluate((button: HTMLElement) => button.click());
    await expect.poll(() => page.getByRole("button", { name: "Dismiss" }).count()).toBe(0);
    await page.waitForTimeout(100);
    expect(await focus(page)).toBe("nothing");
    await page.close();
  });
});

test("what is read aloud is what is new, and not the transcript", async () => {
  const { page } = await looking.open("talk", WIDE);
  const live = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("[aria-live], [role=status], [role=alert], [role=log]")].map((one) => ({
        inside: one.querySelector("article") !== null || one.closest("[role=feed]") !== null,
        length: (one.textContent ?? "").trim().length,
      })),
    );
  const before = await live();
  expect(before.every(({ inside }) => !inside)).toBe(true);
  expect(await page.getByRole("log").textContent()).toBe("");
  await page.evaluate(() => document.getElementById("transcript")?.scrollTo(0, 0));
  await page.waitForTimeout(200);
  expect(await page.getByRole("log").textContent()).toBe("");
  await page.evaluate(() => {
    const { session, message } = window as unknown as {
      session: { add: (item: unknown) => void };
      message: (seq: number, text: string) => unknown;
    };
    session.add(message(13, "Something new."));
  });
  await expect.poll(() => page.getByRole("log").textContent()).toBe("Ana Ferreira: Something new.");
  const after = await live();
  expect(Math.max(...after.map(({ length }) => length))).toBeLessThan(200);
  await page.close();
});
