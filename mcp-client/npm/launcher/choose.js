// Decides which package holds the program for a machine, and words what to do when it is not there. Touches nothing
// outside.
"use strict";

const NAME = "@devpilot.sh/mcp-session";
const OVERRIDE = "DEVPILOT_SESSION_BINARY";

/** The npm package of one entry of `platforms.json`. */
const packageOf = (platform) => `${NAME}-${platform.key}`;

/** The file inside that package. */
const programOf = (platform) => (platform.os === "win32" ? "devpilot-session.exe" : "devpilot-session");

/**
 * The entries whose program runs on this machine, the best first. A musl program is static and runs under glibc too.
 * @param {{os: string, cpu: string, libc: string | null}} machine in Node's words
 */
function candidates(platforms, machine) {
  const fitting = platforms.filter((entry) => entry.os === machine.os && entry.cpu === machine.cpu);
  if (machine.os !== "linux") return fitting;
  const best = fitting.filter((entry) => entry.libc === machine.libc);
  const others = fitting.filter((entry) => entry.libc !== machine.libc && entry.libc === "musl");
  return [...best, ...others];
}

/**
 * Where an installation is mended: npm's options for it.
 * @param {string} folder the launcher's own folder
 * @param {(folder: string) => boolean} isProject whether a folder has a `package.json`
 */
function place(folder, isProject) {
  const [outermost] = folder.split(/[\\/]node_modules[\\/]/);
  if (outermost === folder || !isProject(outermost)) return "--global";
  return `--prefix "${outermost}"`;
}

/**
 * What to tell a person when the program is not installed.
 * @param {{os: string, cpu: string}} machine
 * @param {string[]} found the packages for other systems that are installed
 * @param {string} where npm's options for the place, see `place`
 */
function missing(platforms, machine, version, found, where) {
  const [wanted] = candidates(platforms, machine);
  if (!wanted) {
    return [
      `devpilot-session: there is no program for ${machine.os} on ${machine.cpu}.`,
      `There is one for: ${platforms.map((entry) => entry.key).join(", ")}.`,
      `If you built one yourself, name it: ${OVERRIDE}=/path/to/devpilot-session`,
    ].join("\n");
  }
  const wrong = found.length
    ? `  - node_modules or the lockfile was made on another system; it has ${found.join(", ")}`
    : "  - node_modules or the lockfile was made on another system, or copied from one";
  return [
    `devpilot-session: the program for this machine is not installed: ${packageOf(wanted)} is missing.`,
    "It comes as an optional dependency. Usual reasons that it is not there:",
    "  - npm ran with --omit=optional or --no-optional, or an .npmrc says omit=optional",
    wrong,
    "To add it:",
    `    npm install ${where} --include=optional --save-optional ${packageOf(wanted)}@${version}`,
    `Or name a program that you have: ${OVERRIDE}=/path/to/${programOf(wanted)}`,
  ].join("\n");
}

module.exports = { OVERRIDE, candidates, missing, packageOf, place, programOf };
