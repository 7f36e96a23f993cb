// The first `npx -y` on a machine that has nothing: a registry, an empty cache, and a host that waits.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { Host, patience, within } from "./host.mjs";
import { HERE, KNOWS_LIBC, Machine, NAME, NODE, tarballs } from "./installation.mjs";
import { Registry, placeholders } from "./registry.mjs";

/** Whether this works here; some containers have the program and forbid what it does. */
function works(command, ...args) {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("a first run with npx", () => {
  const machine = new Machine();
  const registry = new Registry([...tarballs.values(), ...placeholders(machine.path("placeholders"))]);
  before(async () => {
    machine.settings.npm_config_registry = await registry.listen();
  });
  after(() => {
    registry.close();
    machine.remove();
  });

  it("answers initialize within 8 s, and no line of standard output is anything but JSON-RPC", async () => {
    const host = new Host("npx", ["-y", NAME], { env: machine.env(), cwd: machine.path("home"), folder: machine.folder });
    try {
      await within(await patience(), host.initialize());
      await host.request("tools/list");
      host.end();
      await within(10_000, host.gone);
    } finally {
      await host.close();
    }
    assert.equal(host.lines.length, 2);
    assert.ok(!host.stderr.includes("devpilot-session:"), host.stderr);
    const fetched = registry.asked.filter((path) => path.endsWith(".tgz"));
    const most = KNOWS_LIBC ? 2 : 3;
    assert.ok(fetched.length <= most, `only the launcher and this machine's program are fetched, not ${fetched}`);
  });

  it("tells what to do when the program for this machine is left out, and the line that is printed mends it", async () => {
    machine.settings.npm_config_cache = machine.path("second-cache");
    const run = (env) => machine.run("npx", ["-y", NAME, "--version"], { env });
    const first = await run({ npm_config_omit: "optional" });
    assert.deepEqual([first.code, first.stdout], [1, ""]);
    const mended = await machine.run("sh", ["-c", first.stderr.match(/^ +(npm install .*)$/m)[1]]);
    assert.equal(mended.code, 0, mended.stderr);
    assert.match((await run({})).stdout, /^devpilot-session /);
  });
});

describe("before initialize is answered", () => {
  const machine = new Machine();
  let launch;
  before(async () => {
    const prefix = await machine.install("quiet", [tarballs.get("launcher"), tarballs.get(HERE)]);
    launch = join(prefix, "node_modules", NAME, "launch.js");
  });
  after(() => machine.remove());

  async function initialized(command, args) {
    const host = new Host(command, args, { env: machine.env(), cwd: machine.path("home"), folder: machine.folder });
    try {
      await within(20_000, host.initialize());
    } finally {
      await host.close();
    }
  }

  it("no socket to a network is opened", { skip: !works("strace", "-f", "-o", "/dev/null", "true") && "strace does not work here" }, async () => {
    const log = join(machine.path("trace"), "calls");
    await initialized("strace", ["-f", "-qq", "-e", "trace=%network,execve", "-o", log, NODE, launch]);
    const calls = readFileSync(log, "utf8");
    assert.match(calls, /execve\(.*devpilot-session"/, "the program was not traced");
    assert.doesNotMatch(calls, /AF_INET|AF_INET6|AF_NETLINK/);
  });

  it("there need be no network", { skip: !works("unshare", "--net", "--map-root-user", "true") && "unshare does not work here" }, async () => {
    await initialized("unshare", ["--net", "--map-root-user", NODE, launch]);
  });

  it("nothing is left in the home folder", async () => {
    const bare = new Machine();
    after(() => bare.remove());
    const host = new Host(NODE, [launch], { env: bare.env(), cwd: bare.folder, folder: bare.folder });
    try {
      await within(20_000, host.initialize());
      assert.deepEqual(readdirSync(join(bare.folder, "home")), []);
    } finally {
      await host.close();
    }
    assert.ok(!existsSync(join(bare.folder, "home/.devpilot")));
  });
});
