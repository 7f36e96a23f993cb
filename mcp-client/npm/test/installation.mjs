// Installing the packed packages the way people do, on a machine of which nothing but Node and npm is used.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

export const NAME = "@devpilot.sh/mcp-session";

/** The folder with the packed packages; `scripts/npm.sh` makes it. */
export const TARBALLS = process.env.DEVPILOT_TEST_TARBALLS ?? fail("DEVPILOT_TEST_TARBALLS is not set: run scripts/npm.sh");

/** The Node that runs the launcher: this one, or the one a test run is asked to try. */
export const NODE = process.env.DEVPILOT_TEST_NODE ?? process.execPath;

function fail(message) {
  throw new Error(message);
}

/** The packed packages; `KEY` or `launcher`. */
export const tarballs = new Map(
  readdirSync(TARBALLS)
    .filter((file) => file.endsWith(".tgz"))
    .map((file) => [file.match(/^devpilot\.sh-mcp-session-(?:(.*)-)?\d+\.\d+\.\d+.*\.tgz$/)[1] ?? "launcher", join(TARBALLS, file)]),
);

/** The key of the package that is for this machine. */
export const HERE = [...tarballs.keys()].find((key) => key.startsWith(`${process.platform}-${process.arch}`));

/** Since npm 10 a package is left out for the wrong C library, and `--os` and `--cpu` ask for another system's. */
export const KNOWS_LIBC = Number(execFileSync("npm", ["--version"], { encoding: "utf8" }).split(".")[0]) >= 10;

/** A home with an empty npm cache, and nothing of this machine's environment but the PATH. */
export class Machine {
  folder = mkdtempSync(join(tmpdir(), "devpilot-npm-"));

  constructor(settings = {}) {
    this.settings = settings;
  }

  path(...names) {
    const folder = join(this.folder, ...names);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  env(more = {}) {
    this.path("prefix", "lib");
    return {
      HOME: this.path("home"),
      PATH: [dirname(NODE), process.env.PATH].join(delimiter),
      TMPDIR: tmpdir(),
      npm_config_cache: join(this.folder, "npm-cache"),
      npm_config_prefix: this.path("prefix"),
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_update_notifier: "false",
      DEVPILOT_CLIPBOARD: "off",
      ...this.settings,
      ...more,
    };
  }

  /** Runs to the end: `{ code, stdout, stderr }`. Its standard input is empty. */
  run(command, args, { cwd = this.path("home"), env = {} } = {}) {
    return new Promise((done, failed) => {
      const child = spawn(command, args, { cwd, env: this.env(env), stdio: ["ignore", "pipe", "pipe"] });
      const [stdout, stderr] = [[], []];
      child.stdout.on("data", (part) => stdout.push(part));
      child.stderr.on("data", (part) => stderr.push(part));
      child.on("error", failed);
      child.on("close", (code) => done({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }));
    });
  }

  /** npm, which must succeed. */
  async npm(args, options) {
    const ended = await this.run("npm", args, options);
    return ended.code === 0 ? ended : fail(`npm ${args.join(" ")}: ${ended.stderr}`);
  }

  /** Packages into an empty prefix, without a network and with an empty cache. Answers the folder. */
  async install(prefix, packages, options = []) {
    const folder = this.path(prefix);
    await this.npm(["install", "--offline", ...options, "--prefix", folder, ...packages], { cwd: folder });
    return folder;
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
