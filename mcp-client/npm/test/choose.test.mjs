// Which package a machine gets, and what a person is told when it is not there: for machines that are not this one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import choose from "../launcher/choose.js";

const platforms = JSON.parse(readFileSync(new URL("../platforms.json", import.meta.url), "utf8"));
const keys = (os, cpu, libc = null) => choose.candidates(platforms, { os, cpu, libc }).map((entry) => entry.key);
const told = (os, cpu, { found = [], where = "--global" } = {}) =>
  choose.missing(platforms, { os, cpu, libc: "glibc" }, "1.2.3", found, where);

describe("the package for a machine", () => {
  it("is the one for its system and processor", () => {
    assert.deepEqual(keys("darwin", "arm64"), ["darwin-arm64"]);
    assert.deepEqual(keys("darwin", "x64"), ["darwin-x64"]);
    assert.deepEqual(keys("win32", "x64"), ["win32-x64"]);
  });

  it("is under musl never one for glibc, and under glibc the static one only after its own", () => {
    assert.deepEqual(keys("linux", "x64", "musl"), ["linux-x64-musl"]);
    assert.deepEqual(keys("linux", "arm64", "glibc"), ["linux-arm64", "linux-arm64-musl"]);
  });

  it("is none where nothing is built for it", () => {
    for (const [os, cpu] of [["linux", "riscv64"], ["freebsd", "x64"], ["win32", "arm64"]]) {
      assert.deepEqual(keys(os, cpu, "glibc"), []);
      assert.match(told(os, cpu), new RegExp(`no program for ${os} on ${cpu}\\.`));
      assert.match(told(os, cpu), /DEVPILOT_SESSION_BINARY=/);
    }
  });

  it("holds a file that Windows can start", () => {
    const [windows] = choose.candidates(platforms, { os: "win32", cpu: "x64", libc: null });
    assert.equal(`${choose.packageOf(windows)}/${choose.programOf(windows)}`, "@devpilot.sh/mcp-session-win32-x64/devpilot-session.exe");
    const [linux] = choose.candidates(platforms, { os: "linux", cpu: "x64", libc: "glibc" });
    assert.equal(choose.programOf(linux), "devpilot-session");
  });
});

describe("the place that is mended", () => {
  const inProject = (folder) => choose.place(folder, () => true);
  const alone = (folder) => choose.place(folder, () => false);

  it("is the project or the npx cache that the launcher was installed into", () => {
    assert.equal(inProject("/home/a/app/node_modules/@devpilot.sh/mcp-session"), '--prefix "/home/a/app"');
    assert.equal(inProject("C:\\Users\\Ada B\\app\\node_modules\\@devpilot.sh\\mcp-session"), '--prefix "C:\\Users\\Ada B\\app"');
  });

  it("is the project also where the launcher lies deeper", () => {
    assert.equal(
      inProject("/app/node_modules/.pnpm/@devpilot.sh+mcp-session@1.2.3/node_modules/@devpilot.sh/mcp-session"),
      '--prefix "/app"',
    );
  });

  it("is never the folder of the global packages, from which npm would remove all others", () => {
    assert.equal(alone("/usr/lib/node_modules/@devpilot.sh/mcp-session"), "--global");
    assert.equal(alone("C:\\Users\\Ada\\AppData\\Roaming\\npm\\node_modules\\@devpilot.sh\\mcp-session"), "--global");
  });
});

describe("what is told when the program is missing", () => {
  it("names the package, its version, the reasons and the way around", () => {
    const text = told("linux", "x64");
    assert.match(text, /npm install --global --include=optional --save-optional @devpilot\.sh\/mcp-session-linux-x64@1\.2\.3$/m);
    assert.match(text, /--omit=optional/);
    assert.match(text, /another system/);
    assert.match(text, /DEVPILOT_SESSION_BINARY=\/path\/to\/devpilot-session$/m);
  });

  it("names the packages for other systems that are there instead", () => {
    assert.match(told("win32", "x64", { found: ["@devpilot.sh/mcp-session-darwin-arm64"] }), /it has @devpilot\.sh\/mcp-session-darwin-arm64$/m);
  });
});

describe("the release workflow", () => {
  it("builds each platform of the table, and no other", () => {
    const workflow = readFileSync(new URL("../../../.github/workflows/release.yml", import.meta.url), "utf8");
    const built = [...workflow.matchAll(/^ +- \{ key: ([\w-]+), runner:/gm)].map((match) => match[1]);
    assert.deepEqual(built.sort(), platforms.map((entry) => entry.key).sort());
  });
});
