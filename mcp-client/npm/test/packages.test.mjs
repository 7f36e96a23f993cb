// What is in the packed packages, as npm made them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";

import { NAME, tarballs } from "./installation.mjs";

const root = new URL("../../../", import.meta.url);
const version = readFileSync(new URL("Cargo.toml", root), "utf8").match(/^version = "(.*)"$/m)[1];
const platforms = JSON.parse(readFileSync(new URL("../platforms.json", import.meta.url), "utf8"));

/** `{ path: mode }` of a packed package. */
function content(tarball) {
  const listing = execFileSync("tar", ["--list", "--verbose", "--gzip", "--file", tarball], { encoding: "utf8" });
  return Object.fromEntries(listing.trim().split("\n").map((line) => [line.split(/\s+/).pop(), line.slice(0, 10)]));
}

const file = (tarball, path) => execFileSync("tar", ["-xzOf", tarball, path], { maxBuffer: 1 << 30 });
const manifest = (tarball) => JSON.parse(file(tarball, "package/package.json"));

describe("every package", () => {
  for (const [key, tarball] of tarballs) {
    it(`${key}: runs nothing when it is installed`, () => {
      assert.equal(manifest(tarball).scripts, undefined);
      assert.ok(!("package/binding.gyp" in content(tarball)), "npm would build it");
    });

    it(`${key}: has the version of Cargo.toml and the licence`, () => {
      assert.equal(manifest(tarball).version, version);
      assert.equal(manifest(tarball).license, "MIT");
      assert.equal(file(tarball, "package/LICENSE").toString(), readFileSync(new URL("LICENSE", root), "utf8"));
    });
  }
});

describe("the launcher's package", () => {
  const tarball = tarballs.get("launcher");

  it("asks for the package of each platform in this very version, and for nothing else", () => {
    const { optionalDependencies, dependencies, peerDependencies } = manifest(tarball);
    assert.deepEqual(
      optionalDependencies,
      Object.fromEntries(
        ["linux-x64", "linux-arm64", "linux-x64-musl", "linux-arm64-musl", "darwin-x64", "darwin-arm64", "win32-x64"].map((key) => [
          `${NAME}-${key}`,
          version,
        ]),
      ),
    );
    assert.deepEqual([dependencies, peerDependencies], [undefined, undefined]);
  });

  it("has one program under both names, so that npx takes it without being told which", () => {
    assert.deepEqual(manifest(tarball).bin, { "mcp-session": "launch.js", "devpilot-session": "launch.js" });
    assert.equal(content(tarball)["package/launch.js"], "-rwxr-xr-x");
  });

  it("runs on Node.js 18", () => {
    assert.equal(manifest(tarball).engines.node, ">=18");
  });

  it("is called in the MCP registry what server.json says", () => {
    const server = JSON.parse(readFileSync(new URL("mcp-client/server.json", root), "utf8"));
    assert.equal(manifest(tarball).mcpName, server.name);
    assert.equal(manifest(tarball).name, server.packages[0].identifier);
    assert.deepEqual([server.version, server.packages[0].version], [version, version]);
  });
});

describe("a platform's package", () => {
  for (const { key, os, cpu, libc } of platforms.filter((entry) => tarballs.has(entry.key))) {
    const tarball = tarballs.get(key);
    const name = os === "win32" ? "devpilot-session.exe" : "devpilot-session";

    it(`${key}: is installed where its name says`, () => {
      const said = manifest(tarball);
      assert.deepEqual([said.name, said.os, said.cpu, said.libc], [`${NAME}-${key}`, [os], [cpu], libc && [libc]]);
    });

    it(`${key}: holds the program alone, and it stays executable`, () => {
      assert.deepEqual(Object.keys(content(tarball)).sort(), ["package/LICENSE", "package/README.md", `package/${name}`, "package/package.json"].sort());
      assert.equal(content(tarball)[`package/${name}`], "-rwxr-xr-x");
    });

    it(`${key}: its program is for the system, processor and C library of the name`, { skip: os !== "linux" }, () => {
      const folder = mkdtempSync(join(tmpdir(), "devpilot-program-"));
      after(() => rmSync(folder, { recursive: true }));
      execFileSync("tar", ["-xzf", tarball, "-C", folder]);
      const program = join(folder, "package", name);
      const said = execFileSync("readelf", ["--file-header", "--program-headers", "--dynamic", "--wide", program], { encoding: "utf8" });
      assert.match(said, { x64: /Machine: +Advanced Micro Devices X86-64/, arm64: /Machine: +AArch64/ }[cpu]);
      if (libc === "musl") assert.doesNotMatch(said, /Requesting program interpreter|\(NEEDED\)/, "a musl program is static");
      else assert.match(said, { x64: /interpreter: \/lib64\/ld-linux-x86-64\.so\.2\]/, arm64: /interpreter: \/lib\/ld-linux-aarch64\.so\.1\]/ }[cpu]);
    });
  }

  it("is as small as promised", { skip: !process.env.DEVPILOT_TEST_SIZES }, () => {
    for (const [key, tarball] of tarballs) {
      assert.ok(statSync(tarball).size <= 6_000_000, `${key} is ${statSync(tarball).size} bytes packed`);
    }
  });
});
