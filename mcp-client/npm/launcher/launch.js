#!/usr/bin/env node
// Starts the native program for this machine in its own place. Writes nothing to standard output, which belongs to
// MCP from the first byte on.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { isatty } = require("node:tty");

const { OVERRIDE, candidates, missing, packageOf, place, programOf } = require("./choose.js");
const { interpreter, libcOf } = require("./libc.js");
const platforms = require("./platforms.json");
const { version } = require("./package.json");

function fail(message) {
  fs.writeSync(2, `${message}\n`);
  process.exit(1);
}

/** The C library of the Node that runs this, and so of what it can start. */
function libc() {
  const head = Buffer.alloc(8192);
  try {
    const file = fs.openSync(process.execPath, "r");
    fs.readSync(file, head, 0, head.length, 0);
    fs.closeSync(file);
  } catch {
    // A program that may not be read can still be asked.
  }
  const linked = libcOf(interpreter(head));
  if (linked) return linked;
  // Else the report would look up the names of all connections.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl";
}

function installed(platform) {
  try {
    return require.resolve(`${packageOf(platform)}/${programOf(platform)}`);
  } catch {
    return null;
  }
}

function runnable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

function program() {
  const named = process.env[OVERRIDE];
  if (named) {
    if (!runnable(named)) fail(`devpilot-session: ${OVERRIDE} names ${named}, which is not a program that can be run.`);
    return path.resolve(named);
  }
  const machine = { os: process.platform, cpu: process.arch, libc: process.platform === "linux" ? libc() : null };
  for (const platform of candidates(platforms, machine)) {
    const file = installed(platform);
    if (file && !runnable(file)) fail(`devpilot-session: ${file} may not be run here. Look at its permissions.`);
    if (file) return file;
  }
  const found = platforms.filter(installed).map(packageOf);
  const where = place(__dirname, (folder) => fs.existsSync(path.join(folder, "package.json")));
  return fail(missing(platforms, machine, version, found, where));
}

const file = program();
const args = process.argv.slice(2);
// npx stays between the host and this process, and a host may kill it alone.
const underNpx = process.env.npm_command === "exec";

if (process.execve && process.platform !== "win32" && !underNpx) {
  // The program takes this process over: the host then has one process, and its signals need no forwarding. Node
  // versions that call this an experiment would say so on standard error.
  process.emitWarning = () => {};
  process.execve(file, [file, ...args], process.env);
}

// A server reads through a pipe of this process. When this process is killed the pipe closes, and the server ends,
// even under a host that keeps its own end open. A person's command gets the terminal itself.
const serves = args.length === 0 && !isatty(0);
const child = spawn(file, args, { stdio: [serves ? "pipe" : "inherit", "inherit", "inherit"] });

child.on("error", (error) => fail(`devpilot-session: ${file} could not be started: ${error.message}`));
child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));

if (serves) {
  // The program may be gone before all of the input is written; how it ended is told by its exit.
  child.stdin.on("error", () => {});
  process.stdin.on("error", () => child.stdin.end());
  process.stdin.pipe(child.stdin);
}

/** Who is above this process: a shell, and above it npm where the system says so. */
function ancestors() {
  try {
    const stat = fs.readFileSync(`/proc/${process.ppid}/stat`, "latin1");
    return [process.ppid, stat.slice(stat.lastIndexOf(")")).split(" ")[2]].join();
  } catch {
    return `${process.ppid}`;
  }
}

if (serves && underNpx) {
  const before = ancestors();
  const look = () => {
    if (ancestors() === before) return;
    process.stdin.unpipe(child.stdin);
    child.stdin.end();
  };
  setInterval(look, 2_000).unref();
}

// On Windows the console tells the program as well, and a signal sent from here would end it on the spot.
for (const signal of process.platform === "win32" ? ["SIGINT", "SIGBREAK", "SIGHUP"] : ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (process.platform !== "win32") child.kill(signal);
  });
}
