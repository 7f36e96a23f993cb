// opencode: the page's lines, the file they write, and the note's line.

import { readFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { noteLine, pageWays } from "./listed.mjs";
import { Machine, succeed } from "./machine.mjs";
import { Page } from "./page.mjs";
import { expect } from "./report.mjs";

const FILE = ".config/opencode/opencode.jsonc";

export async function check({ report, host, plane }) {
  const page = new Page("opencode.md");
  const machine = () => new Machine(host);
  const connected = /✓ devpilot +connected/;
  await pageWays({ report, page, machine, connected });
  await noteLine({ report, plane, machine, name: "opencode", connected, look: page.look });
  await report.check("the page's file, put there by hand: connected", async () => {
    const one = machine();
    const [file] = page.scripts(`json ~/${FILE}`);
    mkdirSync(join(one.home, ".config/opencode"), { recursive: true });
    writeFileSync(join(one.home, FILE), file.replaceAll("/path/to", one.checkout));
    const listed = await succeed(one.run("opencode", ["mcp", "list"]));
    expect(connected.test(listed), "it is not connected", listed);
    one.remove();
  });
  await report.check("the page's line writes the file that the page shows", async () => {
    const one = machine();
    await succeed(one.sh(page.ways["the built program"]));
    const written = JSON.parse(readFileSync(join(one.home, FILE), "utf8"));
    const shown = JSON.parse(page.scripts(`json ~/${FILE}`)[0].replaceAll("/path/to", one.checkout));
    const server = ({ type, command }) => JSON.stringify({ type, command });
    expect(server(written.mcp.devpilot) === server(shown.mcp.devpilot), "another file", written);
    one.remove();
  });
}
