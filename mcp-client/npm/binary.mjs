// What system a compiled program is for, read from its first bytes.

import libc from "./launcher/libc.js";

const ELF_CPU = { 0x3e: "x64", 0xb7: "arm64" };
const MACH_CPU = { 0x01000007: "x64", 0x0100000c: "arm64" };
const PE_CPU = { 0x8664: "x64", 0xaa64: "arm64" };

/**
 * `{ os, cpu, libc? }` in npm's words. A Linux program without a loader is a static one, which for Rust is musl.
 * @param {Buffer} file the whole file, or its first few kilobytes
 */
export function systemOf(file) {
  if (file.length >= 64 && file.readUInt32BE(0) === 0x7f454c46) {
    return { os: "linux", cpu: ELF_CPU[file.readUInt16LE(18)], libc: libc.libcOf(libc.interpreter(file)) ?? "musl" };
  }
  if (file.length >= 8 && file.readUInt32LE(0) === 0xfeedfacf) {
    return { os: "darwin", cpu: MACH_CPU[file.readUInt32LE(4)] };
  }
  if (file.length >= 64 && file.toString("latin1", 0, 2) === "MZ") {
    const header = file.readUInt32LE(60);
    if (header + 6 <= file.length && file.toString("latin1", header, header + 4) === "PE\0\0") {
      return { os: "win32", cpu: PE_CPU[file.readUInt16LE(header + 4)] };
    }
  }
  return {};
}
