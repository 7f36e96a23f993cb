// Hosts that start a server and say whether it answered: the page's lines, and the note's.

import { join } from "node:path";
import { symlinkSync } from "node:fs";

import { CONTEXT, TITLE } from "./calls.mjs";
import { CLIENT, succeed } from "./machine.mjs";
import { expect } from "./report.mjs";

/** Each way of the page on a fresh home: added, what the host says of it, and gone after the page's own uninstall. */
export async function pageWays({ report, page, machine, connected, gone, says = "connected" }) {
  for (const [way, line] of Object.entries(page.ways)) {
    await report.check(`the page's line for ${way}: ${says}`, async () => {
      const one = machine();
      await succeed(one.sh(line));
      const listed = await succeed(one.run("sh", ["-c", page.look]));
      expect(connected.test(listed), `it is not ${says}`, listed);
      await succeed(one.sh(page.scripts("sh uninstall")[0]));
      if (gone) {
        const after = await succeed(one.run("sh", ["-c", page.look]));
        expect(gone.test(after), "it is still there", after);
      }
      one.remove();
    });
  }
}

/** The line of a note that somebody got, for a host of this name. */
export async function noteLine({ report, plane, machine, name, connected, look, says = "connected" }) {
  await report.check(`the note's line: ${says}`, async () => {
    const sender = machine();
    plane.letShare(sender);
    await succeed(sender.sh(`./target/release/devpilot-session share --as agent --title "${TITLE}"`, CONTEXT));
    const lines = sender.note().split("\n");
    const line = lines.map((one) => one.trim()).find((one) => one.startsWith(`${name}: `));
    expect(line !== undefined, `the note has no line for ${name}`);
    const reader = machine();
    symlinkSync(CLIENT, join(reader.programs, "devpilot-session"));
    await succeed(reader.sh(line.slice(name.length + 2)));
    const listed = await succeed(reader.run("sh", ["-c", look]));
    expect(connected.test(listed), `it is not ${says}`, listed);
    sender.remove();
    reader.remove();
  });
}
