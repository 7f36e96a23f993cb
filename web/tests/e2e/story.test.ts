// The page itself in a real browser, served by a real plane that was built with it, and the real client on the other
// side. What the session does by itself is tried in session.test.ts.
//
// A secret of a link that the plane is told, in whatever way, stands in its log or its store; both are searched at the end.
import { type BrowserContext, type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent } from "./agent";
import { linkIn, RealPlane } from "./real";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const SHOTS = process.env["SHOTS"] ?? new URL("../../shots", import.meta.url).pathname;

const STORE = process.env["STORE"] ?? "sqlite";

let plane: RealPlane;
let browser: Browser;
/** What stands behind the `#` of each link that was opened here. */
const secrets: string[] = [];

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
  secrets.push(token);
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const sent = `${request.url()} ${request.postData() ?? ""} ${JSON.stringify(request.headers())}`;
    if (new URL(request.url()).origin !== plane.origin || sent.includes(token)) faults.push(request.url());
  });
  await page.goto(link);
  return { page, context, faults };
}

async function join(page: Page, name: string, button: string): Promise<void> {
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
}

test("an agent shares, a person reads and writes, two agents go to auto, the person stops them, the owner re-keys, and all go on", async () => {
  const ada = await Agent.start(plane, "client");
  const shared = await ada.call("share", {
    title: "Fix the flaky test",
    context: "It fails *one time* in ten.",
  });
  const link = linkIn(shared);
  const { page, context, faults } = await visit(link);
  await join(page, "Grace", "Join");
  const article = (text: string) => page.getByRole("article").filter({ hasText: text });
  const write = async (text: string) => {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
    // Stored, once it has a number.
    await expect.poll(() => article(text).getAttribute("id")).toMatch(/^message-\d+$/);
  };
  await article("It fails one time in ten.").waitFor();

  await ada.call("mode", { set: "relay" });
  await page.getByRole("heading", { name: "Mode: relay" }).waitFor();
  await ada.call("read");
  const waited = ada.call("wait");
  await page.locator("#side").getByText("listening").first().waitFor();
  await write("Does it fail alone, too?");
  expect(JSON.stringify(await waited)).toContain("Does it fail alone, too?");

  // What is for nobody in particular does not wake who waits for what is for it.
  const waitedFor = ada.call("wait", { for_me: true });
  await page.locator("#side").getByText("listening").first().waitFor();
  await write("I think aloud.");
  await page.getByRole("textbox", { name: "Message" }).pressSequentially("@ada");
  await page.getByRole("option", { name: /Ada's agent.*agent/ }).waitFor();
  await page.screenshot({ path: `${SHOTS}/real-addressing-${STORE}.png` });
  await page.keyboard.press("Enter");
  await page.getByRole("group", { name: "To:" }).getByText("Ada's agent").waitFor();
  await write("Look at the clock, please.");
  const { messages } = (await waitedFor) as { messages: { text: string; to: string[] }[] };
  expect(messages.map(({ text }) => text)).toEqual(["Look at the clock, please."]);
  type Someone = { id: string; name: string; me: boolean };
  const { participants } = (await ada.call("who")) as { participants: Someone[] };
  expect(messages[0]?.to).toEqual(participants.filter(({ me }) => me).map(({ id }) => id));
  const grace = participants.find(({ name }) => name === "Grace")?.id ?? "";
  await ada.call("post", { text: "It ran backwards.", to: [grace] });
  await article("It ran backwards.").getByText("to you", { exact: true }).waitFor();

  const ben = await Agent.start(plane, "Ben");
  await ben.call("join", { link });
  await ada.call("mode", { set: "auto", goal: "Find out why" });
  await ben.call("mode", { set: "accept" });
  await page.getByText("20 of 20").waitFor();
  await ada.call("post", { text: "I look at the clock." });
  await article("I look at the clock.").waitFor();
  await page.getByText("19 of 20").waitFor();
  await page.screenshot({ path: `${SHOTS}/real-auto-${STORE}.png` });
  await page.getByRole("button", { name: "Stop now" }).click();
  await page.getByRole("heading", { name: "Mode: observe" }).waitFor();
  expect((await ada.call("mode"))["mode"]).toBe("observe");

  expect(faults).toEqual([]);
  const session = String(shared["session"]);
  await plane.atTerminal(`rekey --session ${session} --history keep`, "k\nk\nrekey\n");
  await page
    .getByText(/re-?keyed/i)
    .first()
    .waitFor();
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  await write("I am still here.");
  expect(JSON.stringify(await ada.call("read"))).toContain("I am still here.");
  expect(JSON.stringify(await ben.call("read"))).toContain("I am still here.");
  // Whoever meant to go on writing in auto learns first that it is over.
  await expect(ben.call("post", { text: "So am I." })).rejects.toThrow("auto_over");
  await ben.call("post", { text: "So am I." });
  await article("So am I.").waitFor();
  await page.screenshot({ path: `${SHOTS}/real-rekeyed-${STORE}.png` });
  // A call that the re-key overtook is told so by its status, which the browser notes.
  expect(faults.filter((fault) => !fault.includes("status of 401"))).toEqual([]);

  const late = await visit(link);
  await late.page.getByLabel("Your name").fill("Late");
  await late.page.getByRole("button", { name: "Join" }).click();
  await late.page.getByRole("heading", { name: "This session has new keys." }).waitFor();
  await late.context.close();
  await Promise.all([ada.stop(), ben.stop(), context.close()]);
});

test("a person comes in the browser, reads, writes, is read, and stays the same over a reload", async () => {
  const link = await plane.share("Fix the login race", "The token is refreshed **twice**.");
  const { page, context, faults } = await visit(link);
  await page.getByRole("heading", { name: "You are invited to a session." }).waitFor();
  expect(page.url()).not.toContain("#");
  expect(page.url()).not.toContain("dp1");
  await join(page, "Grace", "Join");
  await page.getByRole("heading", { level: 1, name: "Fix the login race" }).waitFor();
  expect(await page.title()).toBe("A session – DevPilot session");
  await page.getByRole("article").getByText("twice").waitFor();

  await page.getByRole("textbox", { name: "Message" }).fill("Which branch?\n\n```rust\nfn main() {}\n```");
  await page.keyboard.press("Control+Enter");
  const own = page.getByRole("article").filter({ hasText: "Which branch?" });
  await own.waitFor();
  await expect.poll(() => own.getAttribute("id")).toMatch(/^message-\d+$/);
  await own.locator("code .keyword").waitFor();
  const session = new URL(link).pathname.slice("/s/".length).slice(0, 8);
  expect(JSON.stringify(await plane.client(["read", "--session", session]))).toContain("Which branch?");

  await plane.client(["post", "--session", session], "The one called `login`.");
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
  await page
    .getByText(/You came by a view link/)
    .first()
    .waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test("another link opened in the same tab is the one that counts", async () => {
  const link = await plane.share("One door, two links", "Come in.");
  const changed = link.slice(0, -1) + (link.endsWith("a") ? "b" : "a");
  const { page, context, faults } = await visit(changed);
  await page.getByRole("heading", { name: "This link was changed on its way." }).waitFor();
  secrets.push(link.slice(link.indexOf("#") + 1));
  // The same path, so that the browser changes the fragment and loads nothing by itself.
  await page.goto(link);
  await page.getByRole("heading", { name: "You are invited to a session." }).waitFor();
  await expect.poll(() => page.url()).not.toContain("#");
  expect(faults).toEqual([]);
  await context.close();
});

test("a link that a program wrote in capitals opens the same session", async () => {
  const link = await plane.share("Loud and clear", "Said quietly.");
  const { page, context, faults } = await visit(link.toUpperCase());
  await page.getByRole("heading", { name: "You are invited to a session." }).waitFor();
  expect(page.url()).toBe(link.slice(0, link.indexOf("#")));
  await join(page, "Lou", "Join");
  await page.getByRole("article").getByText("Said quietly.").waitFor();
  await page.reload();
  await page.getByRole("article").getByText("Said quietly.").waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test("an address that leads nowhere says so on a page that leads to the start", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const answer = await page.goto(`${plane.origin}/nowhere`);
  expect(answer?.status()).toBe(404);
  await page.getByRole("heading", { level: 1, name: "There is no page at this address." }).waitFor();
  await page.screenshot({ path: `${SHOTS}/missing.png` });
  await page.getByRole("link", { name: "the start page" }).click();
  await page.getByRole("heading", { level: 1, name: /One transcript/ }).waitFor();
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

test("nothing behind the # of a link has reached the plane, by its log of every request and by all that it stores", async () => {
  expect(plane.log()).toContain("/s/");
  expect(secrets.length).toBeGreaterThan(4);
  // A part of it would be told as well: its kind and the first third of its characters.
  for (const secret of secrets) expect(await plane.holds(secret.slice(0, 25))).toBe(false);
  for (const text of ["Grace", "flaky", "I am still here"]) expect(await plane.holds(text)).toBe(false);
  // What it does hold is found by the same search.
  const session = /"POST \/v1\/sessions"|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/.exec(
    plane.log(),
  );
  expect(await plane.holds(session?.[0] ?? "-")).toBe(true);
});
