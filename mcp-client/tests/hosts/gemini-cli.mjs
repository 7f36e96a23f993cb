// Gemini CLI: it starts servers in folders alone that its user trusts.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { noteLine, pageWays } from "./listed.mjs";
import { Machine, succeed } from "./machine.mjs";
import { Page } from "./page.mjs";
import { expect } from "./report.mjs";

export async function check({ report, host, plane }) {
  const page = new Page("gemini-cli.md");
  const connected = /✓ devpilot: .*Connected$/m;
  // What its own question about the folder writes down.
  const machine = () => {
    const one = new Machine(host);
    mkdirSync(join(one.home, ".gemini"));
    writeFileSync(join(one.home, ".gemini/trustedFolders.json"), JSON.stringify({ [one.work]: "TRUST_FOLDER" }));
    return one;
  };
  await pageWays({ report, page, machine, connected, gone: /No MCP servers configured/ });
  await noteLine({ report, plane, machine, name: "Gemini CLI", connected, look: page.look });
  await report.check("a folder that is not trusted: mcp list says Disabled, as the page does", async () => {
    const one = new Machine(host);
    await succeed(one.sh(page.ways["the built program"]));
    const listed = await succeed(one.run("gemini", ["mcp", "list"]));
    expect(/Disabled/.test(listed) && !connected.test(listed), "it is not disabled", listed);
    one.remove();
  });
}
