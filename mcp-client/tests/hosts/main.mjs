// Runs the checks of the hosts that are named, each installed in a folder of its own under DEVPILOT_HOSTS.
//   main.mjs HOST…

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Plane } from "./plane.mjs";
import { Report } from "./report.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const HOSTS = JSON.parse(readFileSync(join(HERE, "hosts.json"), "utf8"));

const failed = [];
let checks = 0;
const plane = await new Plane().start();
try {
  for (const name of process.argv.slice(2)) {
    const report = new Report(HOSTS[name]);
    const host = join(process.env.DEVPILOT_HOSTS, `${name}-${HOSTS[name].version}`);
    try {
      const { check } = await import(`./${name}.mjs`);
      await check({ report, host, plane });
    } catch (error) {
      console.error(error.message);
      failed.push(HOSTS[name].title);
    }
    checks += report.lines;
  }
} finally {
  await plane.stop();
}
console.log(failed.length === 0 ? `${checks} checks, all ok` : `FAILED: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);
