// Claude Code, without a login: the page's lines, the note's line and the plugin, and a story in which a stand-in for the
// model calls the tools. `claude mcp list` starts each server.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { TITLE, CONTEXT } from "./calls.mjs";
import { CLIENT, Machine, REPOSITORY, succeed } from "./machine.mjs";
import { noteLine, pageWays } from "./listed.mjs";
import { Model } from "./model.mjs";
import { Page } from "./page.mjs";
import { expect } from "./report.mjs";

// It looks for news on the network otherwise.
const QUIET = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };

export async function check({ report, host, plane }) {
  const page = new Page("claude-code.md");
  const machine = () => new Machine(host, QUIET);
  const connected = /^devpilot: .*✔ Connected$/m;
  await pageWays({ report, page, machine, connected, gone: /No MCP servers configured/ });
  await noteLine({ report, plane, machine, name: "Claude Code", connected, look: page.look });

  await report.check("a server that dies: mcp list says so", async () => {
    const one = machine();
    writeFileSync(join(one.programs, "dead"), "#!/bin/sh\nexit 1\n");
    chmodSync(join(one.programs, "dead"), 0o755);
    await succeed(one.sh("claude mcp add devpilot --scope user -- dead"));
    const listed = await succeed(one.run("claude", ["mcp", "list"]));
    expect(/Failed to connect/.test(listed) && !connected.test(listed), "it is connected", listed);
    one.remove();
  });

  await report.check("plugin validate --strict: marketplace and plugin", async () => {
    const one = machine();
    for (const folder of [".", "mcp-client/plugin"]) {
      await succeed(one.run("claude", ["plugin", "validate", "--strict", join(REPOSITORY, folder)]));
    }
    one.remove();
  });

  await plugin({ report, plane, page, machine });
  await story({ report, plane, page, host });
  await cockpit({ report, page, host });
}

async function plugin({ report, plane, page, machine }) {
  const one = machine();
  const [install, uninstall] = page.scripts("sh plugin");
  await report.check("the page's plugin: installed from the checkout, its server connected", async () => {
    // The page's own first line puts the program on the PATH of the shell that starts Claude Code.
    const listed = await succeed(one.sh(`${install}claude mcp list`));
    expect(/^plugin:devpilot:session: .*✔ Connected$/m.test(listed), "it is not connected", listed);
  });
  await report.check("the plugin's parts: its skill, its server, and a hook for each event", async () => {
    const parts = await succeed(one.run("claude", ["plugin", "details", "devpilot@devpilot"]));
    const { hooks } = JSON.parse(readFileSync(join(REPOSITORY, "mcp-client/plugin/hooks/hooks.json"), "utf8"));
    const events = Object.keys(hooks);
    for (const part of ["Skills (1)", `Hooks (${events.length})`, "MCP servers (1)", ...events]) {
      expect(parts.includes(part), `not ${part}`, parts);
    }
  });
  await report.check("the installed hooks: the way back after compaction, without any text of a message", async () => {
    const other = machine();
    plane.letShare(other);
    await succeed(other.sh(`./target/release/devpilot-session share --as agent --title "${TITLE}"`, CONTEXT));
    await succeed(one.run(`${one.home}/.devpilot/bin/devpilot-session`, ["join", "-", "--as", "agent"], other.sentLink()));
    const said = await hook(one, "SessionStart", { source: "compact" });
    const told = JSON.parse(said).hookSpecificOutput;
    expect(told.hookEventName === "SessionStart" && /devpilot_session_read/.test(told.additionalContext), "another answer", said);
    expect(!said.includes(CONTEXT), "it shows a message", said);
    other.remove();
  });
  await report.check("the installed hooks: quiet at a prompt with nothing unread, and where there is no client", async () => {
    const bare = machine();
    for (const event of ["UserPromptSubmit", "Stop"]) {
      expect((await hook(one, event, { prompt: "go on" }, bare)) === "", `${event} says something`);
    }
    bare.remove();
  });
  await report.check("the page's plugin: uninstalled", async () => {
    await succeed(one.sh(uninstall));
    const listed = await succeed(one.run("claude", ["mcp", "list"]));
    expect(/No MCP servers configured/.test(listed), "it is still there", listed);
  });
  one.remove();
}

/** What the installed hook of an event says, with the home of `at`. */
async function hook(machine, event, input, at = machine) {
  const versions = join(machine.home, ".claude/plugins/cache/devpilot/devpilot");
  const [version] = readdirSync(versions);
  const root = join(versions, version);
  expect(existsSync(join(root, "hooks/hooks.json")), "the hooks are not installed");
  const { command } = JSON.parse(readFileSync(join(root, "hooks/hooks.json"), "utf8")).hooks[event][0].hooks[0];
  const host = { session_id: "0f6b", transcript_path: "/dev/null", cwd: machine.work, hook_event_name: event, ...input };
  return succeed(at.run("sh", ["-c", `CLAUDE_PLUGIN_ROOT='${root}'; export CLAUDE_PLUGIN_ROOT; ${command}`], JSON.stringify(host)));
}

/** How Claude Code calls the plugin's tools. */
const TOOL = "mcp__plugin_devpilot_session__devpilot_session_";

/** Ada's Claude Code shares and Sam's joins, both with the plugin. What they tell their models is looked through. */
async function story({ report, plane, page, host }) {
  const model = await new Model().start();
  const install = async (variables) => {
    const one = new Machine(host, { ...QUIET, ...model.variables, ...variables });
    await succeed(one.sh(page.scripts("sh plugin")[0]));
    symlinkSync(CLIENT, join(one.programs, "devpilot-session"));
    return one;
  };
  const ask = async (one, steps, ...args) => {
    model.play(...steps);
    const said = await succeed(one.run("claude", ["-p", "Go on.", "--allowedTools", `${TOOL}*`, "--output-format", "json", ...args]));
    expect(JSON.parse(said).result === steps.at(-1).text, "another end", said);
    const heard = model.heard.join("\n");
    expect(!/dp1[fv][a-z2-7]{16,}/.test(heard), "the model was shown the link");
    return heard;
  };

  const ada = await install({ DEVPILOT_NAME: "Ada" });
  plane.letShare(ada);
  await report.check("claude -p: the model is told of the skill and the tools, and shares; it never gets the link", async () => {
    const share = { tool: `${TOOL}share`, input: { title: TITLE, context: CONTEXT, with: "Sam" } };
    const heard = await ask(ada, [share, { text: "Shared." }]);
    for (const part of ["devpilot:session", `${TOOL}wait`, "link_withheld"]) {
      expect(heard.includes(part), `the model was not told ${part}`);
    }
  });
  const sam = await install({ DEVPILOT_NAME: "Sam", DEVPILOT_SESSION_LINK: ada.sentLink() });
  await report.check("claude -p: Sam's joins and posts; the hand-off comes marked as untrusted", async () => {
    const post = { tool: `${TOOL}post`, input: { text: "I can reproduce it." } };
    const heard = await ask(sam, [{ tool: `${TOOL}join`, input: {} }, post, { text: "Joined." }]);
    expect(heard.includes(CONTEXT) && /untrusted/.test(heard), "no hand-off");
  });
  await report.check("claude -p: Ada's reads the answer", async () => {
    const heard = await ask(ada, [{ tool: `${TOOL}read`, input: {} }, { text: "Read." }]);
    expect(heard.includes("I can reproduce it."), "no answer");
  });
  await report.check("claude -p --continue: the hook shows the way back before the model's turn", async () => {
    const heard = await ask(sam, [{ text: "Back." }], "--continue");
    expect(/You take part in the DevPilot session/.test(heard), "the hook was not heard");
  });
  ada.remove();
  sam.remove();
  await model.stop();
}

/** A task in a repository whose test fails: the plugin's hooks tell the cockpit, and the history has it. */
async function cockpit({ report, page, host }) {
  const model = await new Model().start();
  const one = new Machine(host, { ...QUIET, ...model.variables });
  await succeed(one.sh(page.scripts("sh plugin")[0]));
  const service = spawn(CLIENT, ["cockpit", "--listen", "127.0.0.1:0"], { env: one.environment, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(service, "exit");
  await once(service.stdout, "data");
  try {
    await report.check("claude -p: the installed hooks tell the cockpit of a task, its failed check and its report", async () => {
      writeFileSync(join(one.work, "run-tests.sh"), "exit 1\n");
      const bash = (command) => ({ tool: "Bash", input: { command, description: "As asked" } });
      model.play(bash("echo 1 > amounts.txt"), bash("sh run-tests.sh"), { text: "Two tests still fail." });
      await succeed(one.run("claude", ["-p", "Round the amounts\nas the bank does", "--allowedTools", "Bash", "--output-format", "json"]));
      const { tasks } = JSON.parse(await succeed(one.run(CLIENT, ["history", "amounts.txt", "--json"])));
      const [{ title, outcome, check, files, report: said, untrusted }] = tasks;
      const told = JSON.stringify([title, outcome, check, files, said, untrusted]);
      const right = ["Round the amounts", "failed", "failed: sh run-tests.sh", ["amounts.txt"], "Two tests still fail.", true];
      expect(told === JSON.stringify(right), "another task", tasks);
    });
  } finally {
    service.kill();
    await ended;
    one.remove();
    await model.stop();
  }
}
