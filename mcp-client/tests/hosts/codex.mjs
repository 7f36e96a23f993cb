// Codex: the page's lines, and two app-servers on two machines: every tool called, and one story from share to wait.

import { AppServer } from "./app-server.mjs";
import { callsFor, CONTEXT, judge, TITLE } from "./calls.mjs";
import { Machine, succeed } from "./machine.mjs";
import { noteLine, pageWays } from "./listed.mjs";
import { Page } from "./page.mjs";
import { expect } from "./report.mjs";

export async function check({ report, host, plane }) {
  const page = new Page("codex.md");
  const machine = () => new Machine(host);
  // `codex mcp list` starts nothing: that the server answers is what the app-server shows below.
  const listed = { connected: /^devpilot .* enabled /m, says: "enabled" };
  await pageWays({ report, page, machine, ...listed, gone: /No MCP servers configured/ });
  await noteLine({ report, plane, machine, name: "Codex", ...listed, look: page.look });
  await everyTool({ report, machine, plane, page });
  await story({ report, machine, plane, page });
}

/** Two agents on two machines, each by the page's line; the second has the link in its server's environment. */
class Pair {
  constructor(machine, plane) {
    this.ada = machine();
    this.ben = machine();
    plane.letShare(this.ada);
  }

  async startAda(page) {
    await succeed(this.ada.sh(page.ways["the built program"]));
    this.adas = await AppServer.start(this.ada);
    return this.adas;
  }

  async startBen(page) {
    const variables = `--env DEVPILOT_SESSION_LINK='${this.ada.sentLink()}' --env DEVPILOT_NAME=Ben`;
    const line = page.ways["the built program"].replace("devpilot --", `devpilot ${variables} --`);
    await succeed(this.ben.sh(line));
    this.bens = await AppServer.start(this.ben);
    return this.bens;
  }

  async end() {
    await this.adas?.stop();
    await this.bens?.stop();
    this.ada.remove();
    this.ben.remove();
  }
}

async function everyTool({ report, machine, plane, page }) {
  const pair = new Pair(machine, plane);
  const ada = await pair.startAda(page);
  const calls = await report.check("app-server: lists the tools, and there is a call for each", async () =>
    callsFor((await ada.listed()).tools),
  );
  for (const call of calls) {
    await report.check(`app-server: ${call.tool}${call.refused ? " refuses" : ""}`, async () => {
      const agent = call.by === "ada" ? ada : (pair.bens ?? (await pair.startBen(page)));
      judge(call, await agent.call(call.tool, call.arguments));
    });
  }
  await pair.end();
}

async function story({ report, machine, plane, page }) {
  const pair = new Pair(machine, plane);
  const ada = await pair.startAda(page);
  const session = async (agent, verb, args = {}) => {
    const result = await agent.call(`devpilot_session_${verb}`, args);
    expect(result.isError !== true, `${verb} failed`, result);
    expect(!/dp1[fv][a-z2-7]{16,}/.test(JSON.stringify(result)), `${verb} gives the link away`);
    return result.structuredContent;
  };
  const texts = (answer) => JSON.stringify(answer.messages.map((message) => message.text));

  const ben = await report.check("story: Ada shares, Ben joins by the link in his environment", async () => {
    await session(ada, "share", { title: TITLE, context: CONTEXT, with: "Ben" });
    const bens = await pair.startBen(page);
    const joined = await session(bens, "join");
    expect(joined.card.handoff.text === CONTEXT, "another hand-off", joined);
    return bens;
  });
  await report.check("story: Ben posts, Ada reads it, who shows both", async () => {
    await session(ben, "post", { text: "I can reproduce it.", kind: "progress" });
    const read = await session(ada, "read");
    expect(texts(read) === JSON.stringify(["I can reproduce it."]), "other messages", read);
    const who = await session(ada, "who");
    expect(who.participants.length === 2 && who.participants.some((one) => one.name === "Ben"), "others are here", who);
  });
  await report.check("story: Ada reads the transcript as a resource", async () => {
    const [resource] = (await ada.listed()).resources;
    const { contents } = await ada.read(resource.uri);
    expect(contents[0].text.includes("I can reproduce it."), "another transcript", contents);
  });
  await report.check("story: relay after Ada's human said yes in Codex", async () => {
    const relayed = await session(ada, "mode", { set: "relay" });
    expect(relayed.mode === "relay" && ada.asked.length === 1, "not in relay", { relayed, asked: ada.asked });
  });
  await report.check("story: Ada waits, and is woken by Ben's message, which his human approved in Codex", async () => {
    const waiting = session(ada, "wait", { timeout_s: 45 });
    await session(ben, "post", { text: "It is the wall clock.", kind: "answer" });
    const woken = await waiting;
    expect(woken.woke_by === "messages" && texts(woken) === JSON.stringify(["It is the wall clock."]), "another end", woken);
    expect(ben.asked.some((question) => question.includes("It is the wall clock.")), "Ben's human was not asked", ben.asked);
  });
  await report.check("story: the line to listen that Ada got, in a shell: Ben's next message ends it, without its text", async () => {
    const { listen } = await session(ada, "mode");
    const listening = pair.ada.run("sh", ["-c", listen]);
    await session(ben, "post", { text: "Fixed on the branch." });
    const said = await succeed(listening);
    const woken = JSON.parse(said);
    expect(woken.woke_by === "messages" && woken.unread === 1 && woken.rearm === listen, "another end", said);
    expect(!said.includes("Fixed on the branch."), "it shows the message", said);
  });
  await report.check("story: Ada stops the mode; both are in observe", async () => {
    await session(ada, "mode", { set: "stop" });
    const mode = await session(ben, "mode");
    expect(mode.mode === "observe", "another mode", mode);
  });
  await pair.end();
}
