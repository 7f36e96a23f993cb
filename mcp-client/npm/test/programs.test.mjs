// Telling programs of different systems apart by their bytes: this machine's own against `readelf`, the others by
// headers written down from the formats' definitions.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { describe, it } from "node:test";

import { systemOf } from "../binary.mjs";
import libc from "../launcher/libc.js";

/** An ELF64 file with one program header: PT_INTERP, or PT_LOAD where there is no loader. */
function elf(machine, loader) {
  const file = Buffer.alloc(64 + 56 + 64);
  file.write("7f454c46020101", "hex");
  file.writeUInt16LE(machine, 18);
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(1, 56);
  file.writeUInt32LE(loader ? 3 : 1, 64);
  file.writeBigUInt64LE(120n, 72);
  file.writeBigUInt64LE(BigInt(loader.length + 1), 96);
  file.write(`${loader}\0`, 120, "latin1");
  return file;
}

function macho(cpu) {
  const file = Buffer.alloc(32);
  file.write("cffaedfe", "hex");
  file.writeUInt32LE(cpu, 4);
  return file;
}

function pe(machine) {
  const file = Buffer.alloc(256);
  file.write("MZ", "latin1");
  file.writeUInt32LE(128, 60);
  file.write("PE\0\0", 128, "latin1");
  file.writeUInt16LE(machine, 132);
  return file;
}

describe("the system of a program", () => {
  it("is read from an ELF header and the loader it names", () => {
    assert.deepEqual(systemOf(elf(62, "/lib64/ld-linux-x86-64.so.2")), { os: "linux", cpu: "x64", libc: "glibc" });
    assert.deepEqual(systemOf(elf(183, "/lib/ld-linux-aarch64.so.1")), { os: "linux", cpu: "arm64", libc: "glibc" });
    assert.deepEqual(systemOf(elf(62, "/lib/ld-musl-x86_64.so.1")), { os: "linux", cpu: "x64", libc: "musl" });
    assert.deepEqual(systemOf(elf(183, "")), { os: "linux", cpu: "arm64", libc: "musl" });
  });

  it("is read from Mach-O and PE headers", () => {
    assert.deepEqual(systemOf(macho(0x0100000c)), { os: "darwin", cpu: "arm64" });
    assert.deepEqual(systemOf(macho(0x01000007)), { os: "darwin", cpu: "x64" });
    assert.deepEqual(systemOf(pe(0x8664)), { os: "win32", cpu: "x64" });
  });

  it("is nothing for what is no program, cut short or damaged", () => {
    assert.deepEqual(systemOf(Buffer.from("#!/bin/sh\n")), {});
    assert.deepEqual(systemOf(pe(0x8664).subarray(0, 100)), {});
    assert.equal(libc.interpreter(elf(62, "/lib64/ld-linux-x86-64.so.2").subarray(0, 70)), null);
  });

  it("agrees with readelf on this machine's Node", { skip: process.platform !== "linux" }, () => {
    const node = realpathSync(process.execPath);
    const said = execFileSync("readelf", ["--program-headers", "--wide", node], { encoding: "utf8" });
    const loader = said.match(/Requesting program interpreter: (.*)\]/)?.[1] ?? null;
    assert.equal(libc.interpreter(readFileSync(node)), loader);
  });
});
