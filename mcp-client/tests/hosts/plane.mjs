// A real plane on this machine.

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Plane {
  #folder = mkdtempSync(join(tmpdir(), "devpilot-hosts-plane-"));
  #process;

  async start() {
    this.address = `http://127.0.0.1:${await freePort()}`;
    mkdirSync(join(this.#folder, "home"), { mode: 0o700 });
    const listen = ["serve", "--listen", this.address.slice("http://".length), "--data", join(this.#folder, "data")];
    this.#process = spawn(process.env.DEVPILOT_TEST_PLANE, listen, {
      env: { HOME: join(this.#folder, "home"), PATH: process.env.PATH },
      stdio: "ignore",
    });
    const deadline = Date.now() + 30_000;
    while (!(await answers(`${this.address}/readyz`))) {
      if (this.#process.exitCode !== null || Date.now() > deadline) {
        throw new Error("the plane did not start");
      }
      await new Promise((next) => setTimeout(next, 50));
    }
    return this;
  }

  /** Lets a machine share, as `make run` lets the one it runs on. */
  letShare(machine) {
    const folder = join(machine.home, ".devpilot");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    cpSync(join(this.#folder, "home/.devpilot/credentials.json"), join(folder, "credentials.json"));
  }

  async stop() {
    if (this.#process?.exitCode === null) {
      const gone = new Promise((done) => this.#process.once("exit", done));
      this.#process.kill("SIGTERM");
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}
