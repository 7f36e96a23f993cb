// What somebody has before them, in a real browser: what a key acts on, where a search leaves the reader, and what a message
// is called for those who don't see it.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Looking, NARROW, WIDE } from "../page/support/looking";

let looking: Looking;
beforeAll(async () => {
  looking = await Looking.begin();
});
afterAll(() => looking?.end());

const focus = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.id ?? "");
const replies = (page: Page): Promise<number> => page.getByRole("button", { name: "Not a reply" }).count();

/** The one that is replied to, once the field has the focus. */
async function replied(page: Page): Promise<string> {
  await expect.poll(() => focus(page)).toBe("write");
  return (await page.locator(".composer .reply").textContent()) ?? "";
}

async function searched(page: Page, words: string): Promise<void> {
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill(words);
  await expect.poll(() => page.locator("[role=search] [role=status]").textContent()).toMatch(/of/);
  await page.locator("article.hit").waitFor();
}

describe("what a key acts on", () => {
  test("is the hit that a search was left at", async () => {
    const { page } = await looking.open("many", WIDE);
    await page.keyboard.press("G");
    await expect.poll(() => focus(page)).toBe("message-10000");
    await searched(page, "message 7771.");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await expect.poll(() => focus(page)).toBe("message-7771");
    await page.keyboard.press("r");
    expect(await replied(page)).toContain("Message 7771.");
    await page.close();
  });

  test("is the newest, for who jumped there", async () => {
    const { page } = await looking.open("many", WIDE);
    await searched(page, "message 7771.");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /Jump to newest/ }).click();
    await expect.poll(() => focus(page)).toBe("message-10000");
    await page.keyboard.press("r");
    expect(await replied(page)).toContain("Message 10000.");
    await page.close();
  });

  test("is nothing that was scrolled away: that is shown first", async () => {
    const { page } = await looking.open("many", WIDE);
    await page.keyboard.press("G");
    await expect.poll(() => focus(page)).toBe("message-10000");
    await page.evaluate(() => document.getElementById("transcript")?.scrollBy(0, -20_000));
    await page.getByRole("button", { name: /Jump to newest/ }).waitFor();
    await page.keyboard.press("r");
    await page.getByRole("button", { name: /Jump to newest/ }).waitFor({ state: "detached" });
    expect(await replies(page)).toBe(0);
    await page.keyboard.press("r");
    expect(await replied(page)).toContain("Message 10000.");
    await page.close();
  });

  test("is nothing, for who is elsewhere in the page", async () => {
    const { page } = await looking.open("many", WIDE);
    await page.keyboard.press("G");
    await expect.poll(() => focus(page)).toBe("message-10000");
    await page.evaluate(() => document.getElementById("side")?.focus());
    await page.keyboard.press("r");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    expect(await replies(page)).toBe(0);
    await page.close();
  });
});

describe("the search", () => {
  test("that is open takes the focus again, with its words marked", async () => {
    const { page } = await looking.open("talk", WIDE);
    await searched(page, "export");
    for (const ask of [
      () => page.getByRole("button", { name: "Search", exact: true }).click(),
      () => page.keyboard.press("/"),
    ]) {
      await page.evaluate(() => document.getElementById("transcript")?.focus());
      await ask();
      await expect.poll(() => focus(page)).toBe("search");
      expect(await page.evaluate(() => getSelection()?.toString())).toBe("export");
    }
    await page.close();
  });

  test("closes by Escape from the field, which keeps the focus and what is in it", async () => {
    const { page } = await looking.open("talk", WIDE);
    await searched(page, "export");
    await page.getByRole("textbox", { name: "Message" }).fill("Half a sen");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("search").count()).toBe(0);
    expect(await focus(page)).toBe("write");
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("Half a sen");
    await page.close();
  });

  test("stays open while a box lies over the page, and shows itself where the side lay over it", async () => {
    const { page } = await looking.open("talk", NARROW);
    await searched(page, "export");
    await page.evaluate(() => document.getElementById("transcript")?.focus());
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.getByRole("search").count()).toBe(1);
    await page.getByRole("button", { name: /here/ }).click();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    expect(await page.getByRole("searchbox").isVisible()).toBe(true);
    await page.close();
  });
});

test("each line of the transcript is called by author and time, and described by what it says", async () => {
  const { page } = await looking.open("talk", WIDE);
  await page.evaluate(() => document.getElementById("transcript")?.scrollTo(0, 0));
  const cdp = await page.context().newCDPSession(page);
  const told = async (id: string) => {
    const { result } = await cdp.send("Runtime.evaluate", { expression: `document.getElementById("${id}")` });
    const objectId = result.objectId;
    if (objectId === undefined) throw new Error(`no ${id}`);
    const { nodes } = await cdp.send("Accessibility.getPartialAXTree", { objectId, fetchRelatives: false });
    const [node] = nodes;
    return {
      role: node?.role?.value as unknown,
      name: String(node?.name?.value),
      says: String(node?.description?.value),
    };
  };
  await page.locator("#message-3").waitFor();
  const message = await told("message-3");
  expect(message.role).toBe("article");
  expect(message.name).toMatch(/^Ana's Claude agent \d{1,2}:\d\d/);
  expect(message.says).toMatch(/^note # .export. pinned I spent the morning on the nightly export\./);
  expect(message.says).toContain("no error in any log");
  const event = await told("message-2");
  expect(event.name).toMatch(/^Event \d{1,2}:\d\d/);
  expect(event.says).toContain("joined.");
  await page.keyboard.press("G");
  await expect.poll(() => focus(page)).toBe("message-12");
  const withCode = await told("message-7");
  expect(withCode.says).toContain("Take the head inside the transaction.");
  expect(withCode.says).not.toMatch(/Copy|Reply/);
  const hidden = await told("message-10");
  expect(hidden.name).toMatch(/^Message not shown \d{1,2}:\d\d/);
  expect(hidden.says).toContain("its signature does not fit its author.");
  const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  await page.close();
});

describe("copying", () => {
  test("gives a message as it was written, and its code alone; nothing moves, and one voice says it", async () => {
    const { page, faults } = await looking.open("talk", WIDE);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const kept = () => page.evaluate(() => navigator.clipboard.readText());
    const message = page.locator("#message-7");
    await message.scrollIntoViewIfNeeded();
    await page.locator(".keyword").first().waitFor();
    await message.hover();
    const copy = message.getByRole("button", { name: "Copy message 7" });
    const places = async () =>
      JSON.stringify([await message.locator(".do").boundingBox(), await message.boundingBox()]);
    const before = await places();
    await copy.click();
    await message.getByRole("button", { name: "Copied message 7" }).waitFor();
    expect(await places()).toBe(before);
    expect(await kept()).toContain("\n```rust\n/// Pages through");
    await message.getByRole("button", { name: "Copy the code" }).click();
    await expect.poll(kept).toMatch(/^\/\/\/ Pages through[^`]*\}$/);
    const voices = await page.locator("[role=feed] [role=status]").count();
    expect(voices).toBe(0);
    expect(await page.getByRole("status").filter({ hasText: "Copied." }).count()).toBe(1);
    expect(faults).toEqual([]);
    await page.close();
  });

  test("in a narrow window does not move what is about to be pressed", async () => {
    const { page } = await looking.open("talk", NARROW);
    const message = page.locator("#message-12");
    const reply = message.getByRole("button", { name: "Reply to message 12" });
    const copy = message.getByRole("button", { name: "Copy message 12" });
    const before = await reply.boundingBox();
    expect(await copy.isVisible()).toBe(false);
    await message.hover({ position: { x: 20, y: 30 } });
    await copy.waitFor();
    expect(await reply.boundingBox()).toEqual(before);
    await reply.click();
    await page.getByRole("button", { name: "Not a reply" }).waitFor();
    await page.close();
  });

  test("by hand takes names, times and words, and nothing of what is around them", async () => {
    const { page } = await looking.open("talk", WIDE);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("#message-12").waitFor();
    await page.evaluate(() => {
      const [first, last] = [document.getElementById("message-8"), document.getElementById("message-12")];
      if (first === null || last === null) throw new Error("no messages");
      getSelection()?.setBaseAndExtent(first, 0, last, last.childNodes.length);
    });
    await page.keyboard.press("Control+c");
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toContain("Here is the change.");
    expect(text).toContain("Fine with me. The release branch is cut; go on.");
    expect(text).not.toMatch(/Reply|Copy|\bagent\b|\bhuman\b|\byou\b|^[ASC]$/m);
    await page.close();
  });
});
