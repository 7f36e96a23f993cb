// Which C library a Linux program was linked for, read from the program itself: asking `ldd` would start a process,
// and a container may not have it.
"use strict";

const PT_INTERP = 3;

/**
 * The loader that a 64-bit little-endian ELF file names; `null` if it names none, as static programs do.
 * @param {Buffer} file the whole file, or its first few kilobytes
 */
function interpreter(file) {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) return null;
  const table = Number(file.readBigUInt64LE(32));
  const [size, count] = [file.readUInt16LE(54), file.readUInt16LE(56)];
  for (let at = table; at < table + size * count && at + 56 <= file.length; at += size) {
    if (file.readUInt32LE(at) !== PT_INTERP) continue;
    const start = Number(file.readBigUInt64LE(at + 8));
    const length = Number(file.readBigUInt64LE(at + 32));
    return file.toString("latin1", start, start + length).replace(/\0+$/, "");
  }
  return null;
}

/** `"glibc"` or `"musl"` by the loader's name; `null` if there is no loader. */
function libcOf(loader) {
  if (!loader) return null;
  return /\/ld-musl-/.test(loader) ? "musl" : "glibc";
}

module.exports = { interpreter, libcOf };
