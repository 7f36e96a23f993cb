// From packed packages to an answering server, without a network; and what a person reads where the program did not
// come along.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { Host, patience, within } from "./host.mjs";
import { HERE, KNOWS_LIBC, Machine, NAME, NODE, tarballs } from "./installation.mjs";
import { Registry, placeholders } from "./registry.mjs";

const both = () => [tarballs.get("launcher"), tarballs.get(HERE)];
const launcher = (prefix) => join(prefix, "node_modules", NAME, "launch.js");

describe("an empty prefix without a network", () => {
  const machine = new Machine();
  let prefix;
  before(async () => {
    prefix = await machine.install("empty", both());
  });
  const hosts = [];
  after(async () => {
    await Promise.all(hosts.map((host) => host.close()));
    machine.remove();
  });

  function start(command, args) {
    hosts.push(new Host(command, args, { env: machine.env(), cwd: prefix, folder: machine.folder }));
    return hosts.at(-1);
  }

  for (const [name, command, args] of [
    ["npx", "npx", ["mcp-session"]],
    ["npx with the package's name", "npx", ["-y", NAME]],
    ["the linked program", "node_modules/.bin/devpilot-session", []],
  ]) {
    it(`${name} starts the server; initialize is answered within 8 s, and no line is anything but JSON-RPC`, async () => {
      const host = start(command, args);
      const { serverInfo } = await within(await patience(), host.initialize());
      assert.equal(serverInfo.name, "devpilot-session");
      const { tools } = await host.request("tools/list");
      assert.ok(tools.some((tool) => tool.name === "devpilot_session_share"));
      host.end();
      assert.deepEqual(await within(10_000, host.exited), { code: 0, signal: null });
      await within(10_000, host.gone);
      assert.equal(host.lines.length, 2);
      assert.equal(host.stderr, "");
    });
  }

  for (const signal of ["SIGTERM", "SIGKILL"]) {
    it(`${signal} to npx ends the program within 10 s, though the host keeps the input open`, async () => {
      const host = start("npx", ["mcp-session"]);
      await within(30_000, host.initialize());
      host.child.kill(signal);
      await within(10_000, host.gone);
    });
  }

  it("with arguments is the command line, and passes its exit code on", async () => {
    const run = (...args) => machine.run(NODE, [launcher(prefix), ...args], { cwd: prefix });
    const version = await run("--version");
    assert.deepEqual([version.code, version.stderr], [0, ""]);
    assert.match(version.stdout, /^devpilot-session \d+\.\d+\.\d+/);
    const wrong = await run("no-such-verb");
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  });

  it("starts the program that DEVPILOT_SESSION_BINARY names, and says so if it is none", async () => {
    const env = { DEVPILOT_SESSION_BINARY: "/bin/echo" };
    assert.equal((await machine.run(NODE, [launcher(prefix), "named"], { env })).stdout, "named\n");
    for (const wrong of ["/no/such/program", machine.folder]) {
      const ended = await machine.run(NODE, [launcher(prefix)], { env: { DEVPILOT_SESSION_BINARY: wrong } });
      assert.deepEqual([ended.code, ended.stdout], [1, ""]);
      assert.ok(ended.stderr.includes(`DEVPILOT_SESSION_BINARY names ${wrong}`), ended.stderr);
    }
  });
});

describe("a global installation", () => {
  const machine = new Machine();
  after(() => machine.remove());

  it("starts by its name alone", async () => {
    const folder = machine.path("global");
    await machine.npm(["install", "--global", "--offline", "--prefix", folder, ...both()]);
    const program = join(folder, process.platform === "win32" ? "" : "bin", "devpilot-session");
    assert.match((await machine.run(program, ["--version"])).stdout, /^devpilot-session /);
  });
});

describe("a program that did not come along", () => {
  const machine = new Machine();
  const registry = new Registry([...tarballs.values(), ...placeholders(machine.path("placeholders"))]);

  before(async () => {
    machine.settings.npm_config_registry = await registry.listen();
  });
  after(() => {
    registry.close();
    machine.remove();
  });

  /** The message, after it was held to its rules: all on standard error, a failure, the package named. */
  async function message(prefix) {
    const ended = await machine.run(NODE, [launcher(prefix)], { cwd: prefix });
    assert.deepEqual([ended.code, ended.stdout], [1, ""]);
    assert.ok(ended.stderr.includes(`${NAME}-${HERE} is missing`), ended.stderr);
    return ended.stderr;
  }

  /** Does what the message says, to the letter. */
  async function obey(text, cwd) {
    const line = text.match(/^ +(npm install .*)$/m)[1];
    const mended = await machine.run("sh", ["-c", line], { cwd });
    assert.equal(mended.code, 0, mended.stderr);
  }

  async function starts(prefix) {
    const { stdout, stderr } = await machine.run(NODE, [launcher(prefix), "--version"]);
    assert.match(stdout, /^devpilot-session /, stderr);
  }

  it("for --omit=optional: the line that is printed mends it", async () => {
    const prefix = machine.path("omitted");
    writeFileSync(join(prefix, "package.json"), "{}");
    await machine.npm(["install", "--omit=optional", "--prefix", prefix, NAME], { cwd: prefix });
    const text = await message(prefix);
    assert.match(text, /--omit=optional/);
    await obey(text, machine.path("home"));
    await starts(prefix);
  });

  it("for an .npmrc that omits: the line that is printed mends it", async () => {
    const prefix = machine.path("npmrc");
    writeFileSync(join(prefix, "package.json"), "{}");
    writeFileSync(join(prefix, ".npmrc"), "omit=optional\n");
    await machine.npm(["install", NAME], { cwd: prefix });
    await obey(await message(prefix), prefix);
    await starts(prefix);
  });

  it("for a lockfile and modules made on another system: the package that came instead is named", { skip: !KNOWS_LIBC && "npm is older than 10" }, async () => {
    const prefix = machine.path("foreign");
    writeFileSync(join(prefix, "package.json"), "{}");
    const other = ["--os=darwin", "--cpu=arm64"];
    await machine.npm(["install", ...other, NAME], { cwd: prefix });
    await machine.npm(["ci", ...other], { cwd: prefix });
    assert.ok(existsSync(join(prefix, "node_modules", `${NAME}-darwin-arm64`)));
    const text = await message(prefix);
    assert.match(text, /it has @devpilot\.sh\/mcp-session-darwin-arm64$/m);
    await obey(text, prefix);
    await starts(prefix);
  });

  it("for a global installation: the line that is printed mends it and leaves other packages alone", async () => {
    const folder = machine.path("global");
    const other = join(folder, "lib/node_modules/other");
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, "package.json"), '{"name":"other","version":"1.0.0"}');
    machine.settings.npm_config_prefix = folder;
    // npm 11 does not omit anything from a global installation, but goes on without what it can't fetch.
    const env = { npm_config_cache: machine.path("empty-cache") };
    await machine.npm(["install", "--global", "--offline", tarballs.get("launcher")], { env });
    await obey(await message(join(folder, "lib")), machine.path("home"));
    await starts(join(folder, "lib"));
    assert.ok(existsSync(other));
  });
});
