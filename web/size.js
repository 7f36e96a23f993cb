// Prints what the page loads at first, compressed, and fails when the script of it is over its budget (web.md).
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET_KIB = 120;
const ENTRY = "session.html";

/** @type {Record<string, { file: string, imports?: string[], css?: string[] }>} */
const manifest = JSON.parse(readFileSync("dist/.vite/manifest.json", "utf8"));

/** The chunks that come with the entry, those it imports at once included. */
const first = new Set([ENTRY]);
for (const name of first) for (const needed of manifest[name]?.imports ?? []) first.add(needed);

/** @param {string | undefined} file */
const packed = (file) => gzipSync(readFileSync(`dist/${file}`), { level: 9 }).length / 1024;
/** @param {number[]} sizes */
const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);

const chunks = [...first].map((name) => manifest[name]);
const script = sum(chunks.map((chunk) => packed(chunk?.file)));
const style = sum(chunks.flatMap((chunk) => (chunk?.css ?? []).map(packed)));

console.log(
  `Initial script ${script.toFixed(1)} KiB of ${BUDGET_KIB}, style ${style.toFixed(1)} KiB, gzipped.`,
);
if (script > BUDGET_KIB) {
  console.error("The initial script is over its budget: load what is not needed at first on demand.");
  process.exitCode = 1;
}
