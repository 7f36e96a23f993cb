// A real plane on SQLite and home folders for agents, for the tests beside this file.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LINK = /https?:\/\/\S+\/s\/[0-9a-f-]+#dp1[fv][a-z2-7]{64}/;
const SECRETS = /dp1[fv][a-z2-7]{16,}|dp[sma]_[A-Za-z0-9_-]{16,}/;

/** A plane of its own, with its data in a temporary folder. The machine token lies in the folder `ada`. */
export class Plane {
  #folder = mkdtempSync(join(tmpdir(), "devpilot-sdk-"));
  #process;

  async start() {
    const address = `127.0.0.1:${await freePort()}`;
    this.#process = spawn(process.env.DEVPILOT_TEST_PLANE, ["serve", "--listen", address, "--data", join(this.#folder, "plane")], {
      env: { HOME: this.home("ada"), PATH: process.env.PATH },
      stdio: "ignore",
    });
    const deadline = Date.now() + 30_000;
    while (!(await isReady(`http://${address}/readyz`))) {
      if (this.#process.exitCode !== null || Date.now() > deadline) {
        throw new Error("the plane did not start");
      }
      await new Promise((next) => setTimeout(next, 50));
    }
    return this;
  }

  home(name) {
    const path = join(this.#folder, name);
    mkdirSync(path, { mode: 0o700, recursive: true });
    return path;
  }

  async close() {
    if (this.#process.exitCode === null) {
      const gone = new Promise((done) => this.#process.once("exit", done));
      this.#process.kill("SIGTERM");
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Answers elicitation with `accept`, `decline` or `cancel`; keeps what it was asked. */
export class Human {
  answer = "accept";
  asked = [];

  reply(request) {
    this.asked.push(request.params.message);
    if (this.answer !== "accept") {
      return { action: this.answer };
    }
    const fields = Object.entries(request.params.requestedSchema?.properties ?? {});
    const yes = (field) => (field.type === "boolean" ? true : (field.enum?.[0] ?? "yes"));
    return { action: "accept", content: Object.fromEntries(fields.map(([name, field]) => [name, yes(field)])) };
  }
}

/** A client of one SDK on one `devpilot-session`. `open` connects it; the two SDKs differ in nothing else here. */
export class Agent {
  #told;

  constructor(client, human) {
    this.client = client;
    this.human = human;
    /** The address of the first news of a transcript that it follows. */
    this.news = new Promise((resolve) => {
      this.#told = resolve;
    });
  }

  told(uri) {
    this.#told(uri);
  }

  /** The structured answer; a tool error fails the test. */
  async call(tool, args = {}, options = undefined) {
    const result = await this.result(tool, args, options);
    if (result.isError) {
      throw new Error(`${tool}: ${textOf(result)}`);
    }
    return result.structuredContent;
  }

  /** The text of the tool error; success fails the test. */
  async refused(tool, args = {}) {
    const result = await this.result(tool, args);
    if (!result.isError) {
      throw new Error(`${tool} was expected to be refused: ${textOf(result)}`);
    }
    return textOf(result);
  }

  /** The result as the SDK gives it. Whatever it is, nothing in it opens a session. */
  async result(tool, args, options = undefined) {
    const call = { name: tool, arguments: args };
    const result = await this.client.callTool(call, ...(this.resultSchemaFirst ? [undefined, options] : [options]));
    if (SECRETS.test(JSON.stringify(result))) {
      throw new Error(`${tool} answers a link or token`);
    }
    return result;
  }
}

/** The environment of a `devpilot-session`: its home, and as little else as it needs. */
export function launch(plane, name, link) {
  const home = plane.home(name);
  return {
    command: process.env.DEVPILOT_TEST_CLIENT,
    args: [],
    cwd: home,
    stderr: "ignore",
    env: {
      HOME: home,
      PATH: process.env.PATH,
      DEVPILOT_NAME: name,
      DEVPILOT_CLIPBOARD: "off",
      ...(link ? { DEVPILOT_SESSION_LINK: link } : {}),
    },
  };
}

/** The link in the handoff file, as the human who sends the note has it. */
export function linkIn(shared) {
  return readFileSync(shared.handoff_file, "utf8").match(LINK)[0];
}

export function textOf(result) {
  return result.content.filter((part) => part.type === "text").map((part) => part.text).join("\n");
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function isReady(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
