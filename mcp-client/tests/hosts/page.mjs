// The commands of a set-up page, by what stands behind the fence: `sh`, `sh published`, `bat`, `sh uninstall`.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { REPOSITORY } from "./machine.mjs";

export class Page {
  #blocks;

  constructor(name) {
    const text = readFileSync(join(REPOSITORY, "docs/setup", name), "utf8");
    this.#blocks = [...text.matchAll(/^```([^\n]+)\n(.*?)^```$/gms)].map(([, kind, script]) => ({ kind, script }));
  }

  /** The blocks of one kind, each a script. A plane is started by who follows the page, not by `make run`. */
  scripts(kind) {
    return this.#blocks.filter((block) => block.kind === kind && block.script !== "make run\n").map((block) => block.script);
  }

  /** The three lines that add the server: for the built program, for the package, for the package on Windows. */
  get ways() {
    return {
      "the built program": this.scripts("sh")[0],
      "the package": this.scripts("sh published")[0],
      "the package on Windows": this.scripts("bat")[0].split("\n")[0],
    };
  }

  /** What shows that it works. */
  get look() {
    return this.scripts("sh").at(-1).trim();
  }
}
