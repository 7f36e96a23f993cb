// Makes src/session/look-alikes.ts from confusables.txt of Unicode's security mechanisms (UTS #39):
//   node scripts/look-alikes.mjs confusables.txt >src/session/look-alikes.ts
// Only what looks like ASCII letters and digits is kept: names like one of ours, or like another's, are what it is for.
import { readFileSync } from "node:fs";

const text = readFileSync(process.argv[2], "utf8");
const version = /^# Version: (\S+)/m.exec(text)?.[1] ?? "unknown";
const alike = new Map();
for (const [, from, to] of text.matchAll(/^([0-9A-F]{4,6})\s*;\s*([0-9A-F ]+?)\s*;/gm)) {
  const target = String.fromCodePoint(...to.split(" ").map((hex) => Number.parseInt(hex, 16)));
  if (/^[0-9A-Za-z]+$/.test(target))
    alike.set(target, [...(alike.get(target) ?? []), Number.parseInt(from, 16)]);
}
const escaped = (point) => (point < 0x7f ? String.fromCodePoint(point) : `\\u{${point.toString(16)}}`);
console.log(
  "// Characters that look like ASCII letters and digits. Made by scripts/look-alikes.mjs; not to be edited.",
);
console.log(`// Source: confusables.txt of Unicode UTS #39, version ${version}.`);
console.log("export const LOOK_ALIKES: readonly (readonly [looksLike: string, characters: string])[] = [");
for (const target of [...alike.keys()].sort()) {
  const points = alike.get(target).sort((a, b) => a - b);
  console.log(`  ["${target}", "${points.map(escaped).join("")}"],`);
}
console.log("];");
