// `codex app-server`: a real agent's host without a model, driven by JSON lines on its standard input and output.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { expect } from "./report.mjs";

/** How long any answer may take; the longest wait of a tool is 50 s. */
const PATIENCE = 90_000;

/** Elicitation goes to the human, everything else is never asked. */
const ASKS = { granular: { sandbox_approval: false, rules: false, skill_approval: false, request_permissions: false, mcp_elicitations: true } };

export class AppServer {
  /** The questions its human was asked, each answered with yes. */
  asked = [];
  #process;
  #said = "";
  #waiting = new Map();
  #next = 0;
  #thread;

  /** Starts it on a machine, with a thread in its work folder. */
  static async start(machine) {
    const server = new AppServer();
    server.#process = spawn("codex", ["app-server"], { cwd: machine.work, env: machine.environment, stdio: "pipe" });
    server.#process.stderr.setEncoding("utf8").on("data", (text) => (server.#said += text));
    server.#process.stdin.on("error", () => {});
    createInterface({ input: server.#process.stdout }).on("line", (line) => server.#hear(JSON.parse(line)));
    await server.request("initialize", {
      clientInfo: { name: "devpilot-hosts", title: "make hosts", version: "1" },
      capabilities: { experimentalApi: true, requestAttestation: false },
    });
    server.#send({ method: "initialized" });
    const started = await server.request("thread/start", { cwd: machine.work, approvalPolicy: ASKS });
    server.#thread = started.thread.id;
    return server;
  }

  /** What Codex lists of the server `devpilot`: its tools and resources. */
  async listed() {
    const listed = await this.request("mcpServerStatus/list", { threadId: this.#thread });
    const server = listed.data.find((one) => one.name === "devpilot");
    expect(server !== undefined, "devpilot is not listed", listed);
    return { tools: Object.values(server.tools).map((tool) => tool.name), resources: server.resources };
  }

  /** Calls a tool of the server `devpilot`. */
  call(tool, args) {
    return this.request("mcpServer/tool/call", { threadId: this.#thread, server: "devpilot", tool, arguments: args });
  }

  /** Reads a resource of the server `devpilot`. */
  read(uri) {
    return this.request("mcpServer/resource/read", { threadId: this.#thread, server: "devpilot", uri });
  }

  request(method, params) {
    const id = (this.#next += 1);
    return new Promise((done, failed) => {
      const late = setTimeout(() => failed(new Error(`no answer to ${method}; standard error:\n${this.#said}`)), PATIENCE);
      this.#waiting.set(id, (message) => {
        clearTimeout(late);
        if (message.error) {
          failed(new Error(`${method}: ${JSON.stringify(message.error)}`));
        } else {
          done(message.result);
        }
      });
      this.#send({ id, method, params });
    });
  }

  /** Ends its input and waits until it is gone. */
  async stop() {
    const gone = new Promise((done) => this.#process.once("exit", done));
    this.#process.stdin.end();
    const late = setTimeout(() => this.#process.kill("SIGKILL"), 10_000);
    await gone;
    clearTimeout(late);
  }

  #send(message) {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #hear(message) {
    if (message.method === undefined) {
      this.#waiting.get(message.id)?.(message);
    } else if (message.method === "mcpServer/elicitation/request") {
      this.asked.push(message.params.message);
      this.#send({ id: message.id, result: { action: "accept", content: agree(message.params.requestedSchema), _meta: null } });
    } else if (message.id !== undefined) {
      this.#send({ id: message.id, error: { code: -32601, message: `${message.method} is not expected` } });
    }
  }
}

/** An answer that fits the form and agrees. */
function agree(schema) {
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([name, field]) => [name, field.type === "boolean" ? true : (field.enum?.[0] ?? "yes")]));
}
