// A stand-in for Claude's model: its Messages API on loopback. It plays the steps it is given and keeps all it was sent,
// so that a real Claude Code calls real tools, and it is seen what would have gone to the provider.

import { createServer } from "node:http";

export class Model {
  /** Everything that was sent to it, as text. */
  heard = [];
  #steps = [];
  #server;

  async start() {
    this.#server = createServer((request, response) => this.#answer(request, response));
    await new Promise((done) => this.#server.listen(0, "127.0.0.1", done));
    return this;
  }

  /** What Claude Code needs in its environment to speak to it. */
  get variables() {
    return { ANTHROPIC_BASE_URL: `http://127.0.0.1:${this.#server.address().port}`, ANTHROPIC_API_KEY: "stand-in" };
  }

  /** The next steps, each `{ tool, input }` or `{ text }`. */
  play(...steps) {
    this.#steps = steps;
    this.heard = [];
  }

  stop() {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(done));
  }

  async #answer(request, response) {
    let body = "";
    for await (const chunk of request) {
      body += chunk;
    }
    this.heard.push(body);
    const json = (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (request.method !== "POST" || !/^\/v1\/messages(\?|$)/.test(request.url)) {
      json({ input_tokens: 1 });
      return;
    }
    const { model, stream, tools } = JSON.parse(body);
    // Requests without tools are Claude Code's own, for a title or the like.
    const step = (tools?.length && this.#steps.shift()) || { text: "Done." };
    const content = step.tool ? { type: "tool_use", id: `toolu_${this.heard.length}`, name: step.tool, input: step.input } : { type: "text", text: step.text };
    const reason = step.tool ? "tool_use" : "end_turn";
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${this.heard.length}`, type: "message", role: "assistant", model, stop_sequence: null, usage };
    if (!stream) {
      json({ ...message, content: [content], stop_reason: reason });
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    send("message_start", { message: { ...message, content: [], stop_reason: null } });
    const [empty, delta] = step.tool
      ? [{ ...content, input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(step.input) }]
      : [{ type: "text", text: "" }, { type: "text_delta", text: step.text }];
    send("content_block_start", { index: 0, content_block: empty });
    send("content_block_delta", { index: 0, delta });
    send("content_block_stop", { index: 0 });
    send("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage });
    send("message_stop", {});
    response.end();
  }
}
