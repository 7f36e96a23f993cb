// The page itself in a real browser, served by a real plane that was built with it, and the real client on the other
// side. What the session does by itself is tried in session.test.ts.
import { type BrowserContext, type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RealPlane } from "./real";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const SHOTS = process.env["SHOTS"] ?? new URL("../../shots", import.meta.url).pathname;

let plane: RealPlane;
let browser: Browser;

beforeAll(async () => {
  plane = await RealPlane.start();
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser?.close();
  await plane?.stop();
});

interface Visit {
  page: Page;
  context: BrowserContext;
  /** Errors, refusals of the policy, and requests that leave the plane or carry a part of the link. */
  faults: string[];
}

async function visit(link: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  const token = link.slice(link.indexOf("#") + 1);
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const sent = `${request.url()} ${request.postData() ?? ""} ${JSON.stringify(request.headers())}`;
    if (!request.url().startsWith(plane.origin) || sent.includes(token)) faults.push(request.url());
  });
  await page.goto(link);
  return { page, context, faults };
}

async function join(page: Page, name: string, button: string): Promise<void> {
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
}

test("an agent shares, a person comes in the browser, reads, writes, is read, and stays the same over a reload", async () => {
  const link = await plane.share("Fix the login race", "The token is refreshed **twice**.");
  const { page, context, faults } = await visit(link);
  await page.getByRole("heading", { name: "You are invited to a session." }).waitFor();
  expect(page.url()).not.toContain("#");
  expect(page.url()).not.toContain("dp1");
  await join(page, "Grace", "Join");
  expect(await page.title()).toContain("Fix the login race");
  await page.getByRole("article").getByText("twice").waitFor();

  await page.getByRole("textbox", { name: "Message" }).fill("Which branch?\n\n```rust\nfn main() {}\n```");
  await page.keyboard.press("Control+Enter");
  const own = page.getByRole("article").filter({ hasText: "Which branch?" });
  await own.waitFor();
  await expect.poll(() => own.getAttribute("aria-label")).toMatch(/^Message \d+$/);
  await own.locator("code .keyword").waitFor();
  expect(JSON.stringify(await plane.client(["read"]))).toContain("Which branch?");

  await plane.client(["post"], "The one called `login`.");
  await page.getByRole("article").getByText("The one called").waitFor();

  const before = await page.locator("#side li").count();
  await page.reload();
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  await own.waitFor();
  expect(await own.getByText("you", { exact: true }).isVisible()).toBe(true);
  expect(await page.locator("#side li").count()).toBe(before);

  expect(await page.evaluate(() => [localStorage.length, document.cookie])).toEqual([0, ""]);
  await page.screenshot({ path: `${SHOTS}/real-wide-light.png` });
  expect(faults).toEqual([]);
  await context.close();
});

test("two people go to auto, and one of them stops it with one click", async () => {
  const link = await plane.share("Agree on a plan", "Here is what I know.");
  const [grace, sam] = [await visit(link), await visit(link)];
  await join(grace.page, "Grace", "Join");
  await join(sam.page, "Sam", "Join");
  await grace.page.getByRole("button", { name: "Propose auto" }).click();
  await grace.page.getByLabel("Goal").fill("A plan both can live with");
  await grace.page.getByRole("button", { name: "Propose", exact: true }).click();
  const proposal = sam.page.getByRole("group", { name: /Grace.* proposes auto/ });
  await proposal.getByText("A plan both can live with").waitFor();
  await proposal.getByRole("button", { name: "Accept" }).click();
  await grace.page.getByText("20 of 20").waitFor();
  await grace.page.getByRole("button", { name: "Stop now" }).click();
  await sam.page.getByRole("heading", { name: "Mode: observe" }).waitFor();
  expect([...grace.faults, ...sam.faults]).toEqual([]);
  await grace.context.close();
  await sam.context.close();
});

test("a view link reads, and has no field to write in", async () => {
  const link = await plane.share("Look at this", "Only to be read.", true);
  const { page, context, faults } = await visit(link);
  await join(page, "Lo", "Look on");
  await page.getByRole("article").getByText("Only to be read.").waitFor();
  expect(await page.getByRole("textbox", { name: "Message" }).count()).toBe(0);
  await page.getByText(/You came by a view link/).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test("a link with a letter changed says so, and sends nothing", async () => {
  const link = await plane.share("Broken on its way", "x");
  const changed = link.slice(0, -1) + (link.endsWith("a") ? "b" : "a");
  const { page, context, faults } = await visit(changed);
  await page.getByRole("heading", { name: "This link was changed on its way." }).waitFor();
  expect(page.url()).not.toContain("#");
  expect(faults).toEqual([]);
  await context.close();
});
