// A reader's machine: a fresh home, a checkout with the built programs, one real host, and nothing else in the environment.

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), "../../..");
export const CLIENT = process.env.DEVPILOT_TEST_CLIENT;
const NODE = dirname(process.execPath);
const LINK = /https?:\/\/\S+\/s\/[0-9a-f-]+#dp1[fv][a-z2-7]{64}/;

/** The package once it is published, and the command interpreter of Windows as far as a host's settings use it. */
const STAND_INS = {
  npx: `#!/bin/sh\n[ "$1 $2" = "-y @devpilot.sh/mcp-session" ] || exit 9\nshift 2\nexec "${CLIENT}" "$@"\n`,
  cmd: `#!/bin/sh\n[ "$1" = /c ] || exit 9\nshift\nexec "$@"\n`,
};

/** The folders of all machines. A failed check leaves its own. */
const folders = new Set();
process.on("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

export class Machine {
  // With its links resolved, since hosts compare folders by their real paths.
  #folder = realpathSync(mkdtempSync(join(tmpdir(), "devpilot-hosts-")));
  #path;
  #variables;

  /** `host` is the folder of the host's package; `variables` is what the host needs beside HOME and PATH. */
  constructor(host, variables = {}) {
    this.#variables = variables;
    folders.add(this.#folder);
    for (const folder of ["home", "work", "programs", "checkout/target/release"]) {
      mkdirSync(join(this.#folder, folder), { recursive: true, mode: 0o700 });
    }
    execFileSync("git", ["init", "--quiet", this.work]);
    symlinkSync(CLIENT, join(this.checkout, "target/release/devpilot-session"));
    for (const part of [".claude-plugin", "mcp-client"]) {
      symlinkSync(join(REPOSITORY, part), join(this.checkout, part));
    }
    for (const [name, text] of Object.entries(STAND_INS)) {
      writeFileSync(join(this.programs, name), text);
      chmodSync(join(this.programs, name), 0o755);
    }
    this.#path = [this.programs, join(host, "node_modules/.bin"), NODE, "/usr/bin", "/bin"].join(":");
  }

  get home() {
    return join(this.#folder, "home");
  }

  /** Where its user works, a repository; the hosts are started here. */
  get work() {
    return join(this.#folder, "work");
  }

  /** A copy of the repository in which `make run` has built the programs. */
  get checkout() {
    return join(this.#folder, "checkout");
  }

  get programs() {
    return join(this.#folder, "programs");
  }

  get environment() {
    return { HOME: this.home, PATH: this.#path, TERM: "dumb", ...this.#variables };
  }

  /** Runs a script in a shell, as its user does in the checkout; the first command that fails ends it. */
  async sh(script, input = "") {
    return run("sh", ["-e", "-c", script], { cwd: this.checkout, env: this.environment }, input);
  }

  /** Runs a program where its user works. */
  async run(program, args, input = "") {
    return run(program, args, { cwd: this.work, env: this.environment }, input);
  }

  /** The link that its user has sent: out of the only note there is. */
  sentLink() {
    return LINK.exec(this.note())[0];
  }

  /** The only note there is. */
  note() {
    const folder = join(this.home, ".devpilot/handoffs");
    const notes = readdirSync(folder);
    if (notes.length !== 1) {
      throw new Error(`${notes.length} notes in ${folder}`);
    }
    return readFileSync(join(folder, notes[0]), "utf8");
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** How long any program may take. */
const PATIENCE = 120_000;

/** Runs a program to its end; all that it said, without colours, and its exit code. */
function run(program, args, options, input) {
  return new Promise((done, failed) => {
    const child = spawn(program, args, { ...options, stdio: "pipe" });
    let text = "";
    const hear = (chunk) => (text += chunk);
    child.stdout.setEncoding("utf8").on("data", hear);
    child.stderr.setEncoding("utf8").on("data", hear);
    // A program that reads no input may be gone before it was written.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      failed(new Error(`${program} ${args.join(" ")} took longer than ${PATIENCE / 1000} s:\n${text}`));
    }, PATIENCE);
    child.on("error", failed);
    child.on("close", (code) => {
      clearTimeout(late);
      done({ code, text: text.replace(/\u001b\[[0-9;]*m/g, "") });
    });
  });
}

/** As `run`, and it must succeed. */
export async function succeed(ran) {
  const { code, text } = await ran;
  if (code !== 0) {
    throw new Error(`exit code ${code}:\n${text}`);
  }
  return text;
}
