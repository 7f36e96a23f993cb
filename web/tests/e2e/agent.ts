// An agent: the installed client as an MCP server over standard input and output, in a host whose human says yes to whatever it
// is asked.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import type { RealPlane } from "./real";

type Answer = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly requestedSchema?: { readonly properties?: Record<string, Field> } };
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: Answer };
  readonly error?: unknown;
}

interface Field {
  readonly type?: string;
  readonly enum?: readonly string[];
}

export class Agent {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #open = new Map<number, (message: Message) => void>();
  #lastId = 0;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.#hear(JSON.parse(line) as Message);
    });
  }

  static async start(plane: RealPlane, home: string): Promise<Agent> {
    const [file, options] = plane.program(home);
    const agent = new Agent(spawn(file, [], { ...options, stdio: "pipe" }));
    await agent.#request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {} },
      clientInfo: { name: "test-host", version: "1" },
    });
    agent.#send({ method: "notifications/initialized", params: {} });
    return agent;
  }

  /** The structured answer of a tool; a tool's error fails the test. */
  async call(tool: string, args: Answer = {}): Promise<Answer> {
    const { result, error } = await this.#request("tools/call", {
      name: `devpilot_session_${tool}`,
      arguments: args,
    });
    if (result?.structuredContent === undefined || result.isError === true) {
      throw new Error(`${tool}: ${JSON.stringify(result ?? error)}`);
    }
    return result.structuredContent;
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.#child.once("exit", done));
    this.#child.stdin.end();
    await ended;
  }

  #request(method: string, params: Answer): Promise<Message> {
    const id = ++this.#lastId;
    return new Promise((done) => {
      this.#open.set(id, done);
      this.#send({ id, method, params });
    });
  }

  #hear(message: Message): void {
    if (message.id === undefined) return;
    if (message.method === "elicitation/create") {
      this.#send({ id: message.id, result: { action: "accept", content: yesTo(message) } });
    } else if (message.method === undefined) {
      this.#open.get(message.id)?.(message);
      this.#open.delete(message.id);
    }
  }

  #send(message: Answer): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

function yesTo(question: Message): Answer {
  const fields = Object.entries(question.params?.requestedSchema?.properties ?? {});
  const yes = (field: Field) => (field.type === "boolean" ? true : (field.enum?.[0] ?? "yes"));
  return Object.fromEntries(fields.map(([name, field]) => [name, yes(field)]));
}
