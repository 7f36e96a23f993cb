// A real plane on this machine and the real client beside it, each in folders of their own that go with the test. The programs
// are those of $DEVPILOT_BIN_DIR, else of the debug build; the store is $STORE.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const BIN = process.env["DEVPILOT_BIN_DIR"] ?? new URL("../../../target/debug", import.meta.url).pathname;

const LINK = /https?:\/\/\S+#dp1[fv][a-z2-7]{64}/;
/** Whose home has the right to share. */
const SHARER = "client";

export class RealPlane {
  readonly origin: string;
  readonly folder: string;
  /** What lets the sharer's client make sessions. */
  machineToken = "";
  readonly #database: string | null;
  #process: ChildProcess | null = null;

  private constructor(origin: string, folder: string, database: string | null) {
    this.origin = origin;
    this.folder = folder;
    this.#database = database;
  }

  static async start(): Promise<RealPlane> {
    const folder = mkdtempSync(join(tmpdir(), "devpilot-e2e-"));
    const listen = `127.0.0.1:${String(await freePort())}`;
    const database = process.env["STORE"] === "postgres" ? await freshDatabase() : null;
    const plane = new RealPlane(`http://${listen}`, folder, database);
    await plane.#serve(listen);
    plane.machineToken = database === null ? plane.#tokenOfThisMachine() : await plane.#tokenOfAMember();
    return plane;
  }

  async #serve(listen: string): Promise<void> {
    const log = openSync(join(this.folder, "log"), "a");
    const child = spawn(join(BIN, "devpilot-plane"), [...this.#store(), "serve", "--listen", listen], {
      env: { ...this.#variables(SHARER), DEVPILOT_PLANE_LOG_LEVEL: "debug" },
      stdio: ["ignore", "ignore", log],
    });
    closeSync(log);
    this.#process = child;
    let isOver = false;
    child.once("error", () => (isOver = true));
    child.once("exit", () => (isOver = true));
    for (let tries = 0; tries < 200 && !isOver; tries++) {
      if (await isReady(this.origin)) return;
      await pause(100);
    }
    const said = this.log();
    await this.stop();
    throw new Error(`the plane of ${BIN} does not start: ${said}`);
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child !== null) {
      const ended = new Promise((done) => child.once("exit", done));
      if (child.pid !== undefined && child.exitCode === null && child.kill("SIGTERM")) await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** All that the plane has said: a line for each request, and more. */
  log(): string {
    return readFileSync(join(this.folder, "log"), "utf8");
  }

  /** Whether this text, as it is or in hexadecimal, is in what the plane has said or in what it stores. */
  async holds(text: string): Promise<boolean> {
    const hex = Buffer.from(text).toString("hex");
    const told = `${this.log()}${await this.#stored()}`;
    return told.includes(text) || told.includes(hex);
  }

  async #stored(): Promise<string> {
    if (this.#database !== null) return run("pg_dump", [this.#database], { env: process.env }, "");
    const folder = join(this.folder, "plane");
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join("");
  }

  /** The client's command line, as somebody who may share here. Gives its JSON answer. */
  async client(
    args: readonly string[],
    input = "",
    home = SHARER,
  ): Promise<Readonly<Record<string, unknown>>> {
    const [file, options] = this.program(home);
    return asObject(await run(file, ["--json", ...args], options, input));
  }

  /** A command of the sharer's at a terminal of its own, where a person types. */
  async atTerminal(command: string, typed: string): Promise<string> {
    const [file, options] = this.program(SHARER);
    const script = ["--quiet", "--flush", "--return", "--command", `'${file}' ${command}`, "/dev/null"];
    return run("script", script, options, typed);
  }

  /** The installed client and what surrounds it in somebody's home. */
  program(home: string): [string, { env: NodeJS.ProcessEnv; cwd: string }] {
    return [join(BIN, "devpilot-session"), { env: this.#variables(home), cwd: this.folder }];
  }

  /** A new session by an agent, and the link that its human would send. */
  async share(title: string, context: string, viewOnly = false): Promise<string> {
    const args = ["share", "--title", title, "--as", "agent", ...(viewOnly ? ["--view-only"] : [])];
    return linkIn(await this.client(args, context));
  }

  #store(): string[] {
    return this.#database === null ? ["--data", join(this.folder, "plane")] : [];
  }

  #variables(home: string): NodeJS.ProcessEnv {
    const folder = join(this.folder, home);
    mkdirSync(folder, { recursive: true });
    return {
      PATH: process.env["PATH"],
      HOME: folder,
      DEVPILOT_HOME: join(folder, "devpilot"),
      DEVPILOT_CLIPBOARD: "off",
      DEVPILOT_NAME: home === SHARER ? "Ada's agent" : home,
      ...(this.#database === null ? {} : { DATABASE_URL: this.#database }),
      ...(home === SHARER && this.machineToken !== ""
        ? { DEVPILOT_PLANE: this.origin, DEVPILOT_BRIDGE_TOKEN: this.machineToken }
        : {}),
    };
  }

  /** On the embedded store the plane gives whoever starts it a token. */
  #tokenOfThisMachine(): string {
    const text = readFileSync(join(this.folder, SHARER, "devpilot", "credentials.json"), "utf8");
    const token = /"(dpm_[A-Za-z0-9_-]{43})"/.exec(text)?.[1];
    if (token === undefined) throw new Error("no machine token");
    return token;
  }

  async #tokenOfAMember(): Promise<string> {
    await this.#admin("org", "create", "example");
    await this.#admin("member", "create", "--org", "example", "--name", "ada", "--role", "admin");
    const scopes = ["--scopes", "share,rekey"];
    const made = await this.#admin("token", "create", "--org", "example", "--member", "ada", ...scopes);
    return String(made["token"]);
  }

  async #admin(...args: string[]): Promise<Readonly<Record<string, unknown>>> {
    const options = { env: this.#variables(SHARER), cwd: this.folder };
    return asObject(await run(join(BIN, "devpilot-plane"), ["admin", ...args, "--json"], options, ""));
  }
}

/** The link in the note that sharing left. */
export function linkIn(shared: Readonly<Record<string, unknown>>): string {
  const link = LINK.exec(readFileSync(String(shared["handoff_file"]), "utf8"));
  if (link === null) throw new Error("the note holds no link");
  return link[0];
}

/** A database of its own on the server of $DEVPILOT_TEST_POSTGRES, which goes with the server. */
async function freshDatabase(): Promise<string> {
  const server = process.env["DEVPILOT_TEST_POSTGRES"];
  if (server === undefined) throw new Error("DEVPILOT_TEST_POSTGRES names no Postgres server");
  const name = `e2e_${randomUUID().replaceAll("-", "")}`;
  await run("psql", [server, "--quiet", "--command", `create database ${name}`], { env: process.env }, "");
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

function run(
  file: string,
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; cwd?: string },
  input: string,
): Promise<string> {
  return new Promise((done, failed) => {
    const child = execFile(
      file,
      args,
      { ...options, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 },
      (error, out, err) => {
        if (error !== null) failed(new Error(`${args.join(" ")}: ${out}${err}`));
        else done(out);
      },
    );
    child.stdin?.end(input);
  });
}

function asObject(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
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
