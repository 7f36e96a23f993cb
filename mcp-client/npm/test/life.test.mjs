// The launcher ends, whichever way, and the program with it; the program ends, and the launcher tells how.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { constants } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { Host, within } from "./host.mjs";
import { HERE, Machine, NAME, NODE, tarballs } from "./installation.mjs";

const PLANE = process.env.DEVPILOT_TEST_PLANE;

describe(`the launcher and its program`, () => {
  const machine = new Machine();
  const hosts = [];
  let launch;
  before(async () => {
    const prefix = await machine.install("life", [tarballs.get("launcher"), tarballs.get(HERE)]);
    launch = join(prefix, "node_modules", NAME, "launch.js");
  });
  after(async () => {
    await Promise.all(hosts.map((host) => host.close()));
    machine.remove();
  });

  async function serving(env = {}) {
    const host = new Host(NODE, [launch], { env: machine.env(env), cwd: machine.path("home"), folder: machine.folder });
    hosts.push(host);
    await within(20_000, host.initialize());
    return host;
  }

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    it(`${signal} to the launcher ends both`, async () => {
      const host = await serving();
      host.child.kill(signal);
      assert.deepEqual(await within(10_000, host.exited), { code: 0, signal: null });
      await within(10_000, host.gone);
    });
  }

  it("kill -9 of the launcher ends the program within 10 s, though the host keeps the input open", async () => {
    const host = await serving();
    host.child.kill("SIGKILL");
    await within(10_000, host.gone);
  });

  it("the end of input ends both", async () => {
    const host = await serving();
    host.end();
    assert.deepEqual(await within(10_000, host.exited), { code: 0, signal: null });
  });

  it("input that ends before anything came is no failure", async () => {
    const ended = await machine.run(NODE, [launch]);
    assert.deepEqual(ended, { code: 0, stdout: "", stderr: "" });
  });

  it("the exit code is the program's, or 128 and its signal", async () => {
    const program = join(machine.folder, "program");
    writeFileSync(program, '#!/bin/sh\n[ "$1" = code ] && exit 42\nkill -"$1" $$\n');
    chmodSync(program, 0o755);
    // As a shell sees it, which says 128 and the signal also where the launcher became the program.
    const code = async (how) => {
      const line = `"$0" "$1" ${how}; exit $?`;
      return (await machine.run("sh", ["-c", line, NODE, launch], { env: { DEVPILOT_SESSION_BINARY: program } })).code;
    };
    assert.equal(await code("code"), 42);
    assert.equal(await code("TERM"), 128 + constants.signals.SIGTERM);
    assert.equal(await code("KILL"), 128 + constants.signals.SIGKILL);
  });

  it("a command reads standard input byte for byte, through to its end", async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256));
    const child = spawn(NODE, [launch, "-"], { env: machine.env({ DEVPILOT_SESSION_BINARY: "/bin/cat" }), stdio: "pipe" });
    const read = [];
    child.stdout.on("data", (part) => read.push(part));
    child.stdin.end(bytes);
    await within(10_000, new Promise((done) => child.on("close", done)));
    assert.ok(Buffer.concat(read).equals(bytes));
  });

  describe("while a wait for messages is blocking", { skip: !PLANE && "DEVPILOT_TEST_PLANE is not set" }, () => {
    let plane;
    before(async () => {
      const address = `127.0.0.1:${await freePort()}`;
      plane = spawn(PLANE, ["serve", "--listen", address, "--data", machine.path("plane")], { env: machine.env(), stdio: "ignore" });
      const ready = () => fetch(`http://${address}/readyz`).then((answer) => answer.ok, () => false);
      for (const deadline = Date.now() + 30_000; !(await ready()); ) {
        assert.ok(plane.exitCode === null && Date.now() < deadline, "the plane did not start");
        await new Promise((next) => setTimeout(next, 50));
      }
    });
    after(async () => {
      const gone = new Promise((done) => plane.once("exit", done));
      plane.kill();
      await gone;
    });

    /** A host whose call for messages has been taken up, and holds a request open at the plane. */
    async function waiting() {
      const host = await serving({ DEVPILOT_NAME: "ada" });
      await host.call("devpilot_session_share", { title: `Waiting ${hosts.length}`, context: "There is nothing to do." });
      await host.call("devpilot_session_mode", { set: "relay" });
      const wait = host.call("devpilot_session_wait", { timeout_s: 50 });
      let over = false;
      wait.then(() => (over = true), () => (over = true));
      // Calls are answered side by side: when this one is, the one before it was taken up.
      await host.call("devpilot_session_who");
      await new Promise((next) => setTimeout(next, 1_000));
      assert.equal(over, false, "the wait did not block");
      return host;
    }

    it("kill -9 of the launcher ends the program within 10 s", async () => {
      const host = await waiting();
      host.child.kill("SIGKILL");
      await within(10_000, host.gone);
    });

    it("SIGTERM to the launcher ends both", async () => {
      const host = await waiting();
      host.child.kill("SIGTERM");
      assert.deepEqual(await within(10_000, host.exited), { code: 0, signal: null });
      await within(10_000, host.gone);
    });

    it("the end of input ends both", async () => {
      const host = await waiting();
      host.end();
      assert.deepEqual(await within(10_000, host.exited), { code: 0, signal: null });
    });
  });
});

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
