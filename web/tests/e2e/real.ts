// A real plane on this machine and the real client beside it, each in folders of their own that go with the test. The programs
// are those of $DEVPILOT_BIN_DIR, else of the debug build.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const BIN = process.env["DEVPILOT_BIN_DIR"] ?? new URL("../../../target/debug", import.meta.url).pathname;

export class RealPlane {
  readonly origin: string;
  readonly folder: string;
  readonly #process: ChildProcess;

  private constructor(origin: string, folder: string, child: ChildProcess) {
    this.origin = origin;
    this.folder = folder;
    this.#process = child;
  }

  static async start(): Promise<RealPlane> {
    const folder = mkdtempSync(join(tmpdir(), "devpilot-e2e-"));
    const listen = `127.0.0.1:${String(await freePort())}`;
    const child = spawn(
      join(BIN, "devpilot-plane"),
      ["--data", join(folder, "plane"), "serve", "--listen", listen],
      {
        env: environment(join(folder, "client")),
        stdio: "ignore",
      },
    );
    const plane = new RealPlane(`http://${listen}`, folder, child);
    let isOver = false;
    child.once("error", () => (isOver = true));
    child.once("exit", () => (isOver = true));
    for (let tries = 0; tries < 200 && !isOver; tries++) {
      if (await isReady(plane.origin)) return plane;
      await pause(100);
    }
    await plane.stop();
    throw new Error(`the plane of ${BIN} does not start`);
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.#process.once("exit", done));
    const isRunning = this.#process.pid !== undefined && this.#process.exitCode === null;
    if (isRunning && this.#process.kill("SIGTERM")) await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The client's command line, as somebody who may share here. Gives its JSON answer. */
  client(args: readonly string[], input = "", home = "client"): Promise<Readonly<Record<string, unknown>>> {
    return new Promise((done, failed) => {
      const options = { env: environment(join(this.folder, home)), cwd: this.folder, timeout: 60_000 };
      const child = execFile(
        join(BIN, "devpilot-session"),
        ["--json", ...args],
        options,
        (error, out, err) => {
          if (error !== null) failed(new Error(`${args.join(" ")}: ${out}${err}`));
          else done(JSON.parse(out) as Readonly<Record<string, unknown>>);
        },
      );
      child.stdin?.end(input);
    });
  }

  /** A new session by an agent, and the link that its human would send. */
  async share(title: string, context: string, viewOnly = false): Promise<string> {
    const args = ["share", "--title", title, "--as", "agent", ...(viewOnly ? ["--view-only"] : [])];
    const { handoff_file: note } = await this.client(args, context);
    const link = /https?:\/\/\S+#dp1[fv][a-z2-7]{64}/.exec(readFileSync(String(note), "utf8"));
    if (link === null) throw new Error("the note holds no link");
    return link[0];
  }
}

function environment(home: string): NodeJS.ProcessEnv {
  mkdirSync(home, { recursive: true });
  return {
    PATH: process.env["PATH"],
    HOME: home,
    DEVPILOT_HOME: join(home, "devpilot"),
    DEVPILOT_CLIPBOARD: "off",
    DEVPILOT_NAME: "Ada's agent",
  };
}

async function isReady(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/readyz`)).ok;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === "object") done(address.port);
        else failed(new Error("no port"));
      });
    });
  });
}
