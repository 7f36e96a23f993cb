// An MCP host over stdio that knows nothing but the protocol's lines, and holds every line to it.

import { spawn } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: { elicitation: {} },
  clientInfo: { name: "npm-tests", version: "1.0.0" },
};

/** One started server. It writes to a FIFO, so that the input ends when the test says so and not when a process dies. */
export class Host {
  lines = [];
  stderr = "";
  #waiting = new Map();
  #next = 1;
  #input;

  constructor(command, args, { env, cwd, folder }) {
    const fifo = join(folder, `input-${process.pid}-${Host.#count++}`);
    execFileSync("mkfifo", [fifo]);
    // Opened for both, since opening for writing alone would wait for a reader.
    this.#input = openSync(fifo, "r+");
    const theirs = openSync(fifo, "r");
    this.child = spawn(command, args, { env, cwd, stdio: [theirs, "pipe", "pipe"] });
    closeSync(theirs);
    this.exited = new Promise((done, failed) => {
      this.child.on("error", failed);
      this.child.on("exit", (code, signal) => done({ code, signal }));
    });
    // Standard output is at its end when every process that holds it is gone: the launcher and the program.
    this.gone = new Promise((done) => this.child.stdout.on("close", done));
    this.child.stderr.on("data", (part) => (this.stderr += part));
    let rest = "";
    this.child.stdout.on("data", (part) => {
      const lines = (rest + part).split("\n");
      rest = lines.pop();
      lines.forEach((line) => this.#take(line));
    });
    this.child.stdout.on("close", () => {
      if (rest) this.#take(rest);
      const error = new Error(`the server is gone: ${this.stderr}`);
      this.#waiting.forEach(({ failed }) => failed(error));
    });
  }

  static #count = 0;

  #take(line) {
    const message = JSON.parse(line);
    if (message.jsonrpc !== "2.0") throw new Error(`not JSON-RPC: ${line}`);
    this.lines.push(message);
    if (message.method === "elicitation/create") {
      const fields = Object.entries(message.params.requestedSchema?.properties ?? {});
      const content = Object.fromEntries(fields.map(([name, field]) => [name, field.type === "boolean" || (field.enum?.[0] ?? "yes")]));
      this.send({ id: message.id, result: { action: "accept", content } });
    } else if (message.id !== undefined && !message.method) {
      const { done, failed } = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error) failed(new Error(JSON.stringify(message.error)));
      else done(message.result);
    }
  }

  send(message) {
    writeSync(this.#input, `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  request(method, params = {}) {
    const id = this.#next++;
    const answered = new Promise((done, failed) => this.#waiting.set(id, { done, failed }));
    // A server that is killed leaves its requests without an answer; who asked may no longer be waiting.
    answered.catch(() => {});
    this.send({ id, method, params });
    return answered;
  }

  async initialize() {
    const answer = await this.request("initialize", INITIALIZE);
    this.send({ method: "notifications/initialized" });
    return answer;
  }

  /** The structured answer of a tool. */
  async call(name, args = {}) {
    const result = await this.request("tools/call", { name, arguments: args });
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    return result.structuredContent;
  }

  /** The end of input. */
  end() {
    if (this.#input !== undefined) closeSync(this.#input);
    this.#input = undefined;
  }

  /** Whatever a test left over. */
  async close() {
    this.end();
    const ended = await within(10_000, this.gone).catch(() => null);
    if (ended === null) this.child.kill("SIGKILL");
  }
}

/** What `promise` gives, if it does so in time. */
export function within(milliseconds, promise) {
  let timer;
  const late = new Promise((_, failed) => {
    timer = setTimeout(() => failed(new Error(`not within ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([promise.then((value) => value ?? true), late]).finally(() => clearTimeout(timer));
}

/**
 * Milliseconds that a start may take. The bound is the case's: an empty npm cache, and initialize answered within 8 s of
 * unpacking (`field-cases.md`, Install and platform). It is more only where the machine is so busy that Node alone takes a
 * tenth of it. The longer bounds of other tests say nothing: they end a test that hangs.
 */
export async function patience() {
  const started = performance.now();
  await new Promise((done) => spawn(process.execPath, ["-e", ""], { stdio: "ignore" }).on("exit", done));
  return Math.max(8_000, 10 * (performance.now() - started));
}
