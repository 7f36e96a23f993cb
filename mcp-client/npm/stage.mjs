// Lays out the npm packages from `platforms.json` and the programs that were built.
//   stage.mjs --version V --out FOLDER [--repository URL] [KEY=PROGRAM…]
// Makes FOLDER/launcher, and FOLDER/KEY for each program. The launcher asks for every platform, whatever is staged
// here, so that packages of one version are the same wherever they are made.

import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import choose from "./launcher/choose.js";
import { systemOf } from "./binary.mjs";

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const platforms = read("platforms.json");

function read(name) {
  return JSON.parse(fs.readFileSync(path.join(here, name), "utf8"));
}

function write(file, value) {
  fs.writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** An empty folder with the licence. */
function fresh(folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  fs.copyFileSync(path.join(here, "../../LICENSE"), path.join(folder, "LICENSE"));
}

function stageLauncher(folder, shared) {
  fresh(folder);
  const template = read("launcher/package.json");
  for (const name of template.files) {
    const from = name === "platforms.json" ? name : path.join("launcher", name);
    fs.copyFileSync(path.join(here, from), path.join(folder, name));
  }
  fs.chmodSync(path.join(folder, "launch.js"), 0o755);
  fs.copyFileSync(path.join(here, "launcher/README.md"), path.join(folder, "README.md"));
  write(path.join(folder, "package.json"), {
    ...template,
    ...shared,
    optionalDependencies: Object.fromEntries(platforms.map((entry) => [choose.packageOf(entry), shared.version])),
  });
}

function stageProgram(folder, platform, program, shared) {
  const { os, cpu, libc } = systemOf(head(program));
  if (os !== platform.os || cpu !== platform.cpu || libc !== platform.libc) {
    throw new Error(`${program} is for ${[os, cpu, libc].filter(Boolean).join(" ") || "no known system"}, not for ${platform.key}`);
  }
  fresh(folder);
  const name = choose.programOf(platform);
  fs.copyFileSync(program, path.join(folder, name));
  fs.chmodSync(path.join(folder, name), 0o755);
  fs.writeFileSync(
    path.join(folder, "README.md"),
    `# ${choose.packageOf(platform)}\n\nThe program of \`@devpilot.sh/mcp-session\` for ${platform.key}. Install that one; npm then adds this.\n`,
  );
  write(path.join(folder, "package.json"), {
    name: choose.packageOf(platform),
    description: `devpilot-session for ${platform.key}`,
    license: "MIT",
    ...shared,
    os: [platform.os],
    cpu: [platform.cpu],
    ...(platform.libc && { libc: [platform.libc] }),
    files: [name],
    // A program can't be run out of an archive, where some package managers keep what they install.
    preferUnplugged: true,
  });
}

function head(file) {
  const bytes = Buffer.alloc(8192);
  const opened = fs.openSync(file, "r");
  const length = fs.readSync(opened, bytes, 0, bytes.length, 0);
  fs.closeSync(opened);
  return bytes.subarray(0, length);
}

const { values, positionals } = parseArgs({
  options: { version: { type: "string" }, out: { type: "string" }, repository: { type: "string" } },
  allowPositionals: true,
});
if (!values.version || !values.out) throw new Error("stage.mjs --version V --out FOLDER [--repository URL] [KEY=PROGRAM…]");
const shared = {
  version: values.version,
  ...(values.repository && { repository: { type: "git", url: `git+${values.repository}.git` } }),
};

stageLauncher(path.join(values.out, "launcher"), shared);
for (const given of positionals) {
  const [key, program] = given.split(/=(.*)/s);
  const platform = platforms.find((entry) => entry.key === key);
  if (!platform || !program) throw new Error(`${given} is not KEY=PROGRAM with a key of platforms.json`);
  stageProgram(path.join(values.out, key), platform, program, shared);
}
