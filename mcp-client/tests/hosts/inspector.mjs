// The MCP Inspector on the command line: each call is a server of its own, so what is kept between them is in the home.

import { callsFor, CONTEXT, judge, promptsFor } from "./calls.mjs";
import { CLIENT, Machine, succeed } from "./machine.mjs";
import { expect } from "./report.mjs";

export async function check({ report, host, plane }) {
  const machines = { ada: new Machine(host), ben: new Machine(host) };
  plane.letShare(machines.ada);

  const ask = async (by, args) => {
    const variables = { HOME: machines[by].home, PATH: machines[by].environment.PATH, DEVPILOT_NAME: by };
    if (by === "ben") {
      variables.DEVPILOT_SESSION_LINK = machines.ada.sentLink();
    }
    const given = Object.entries(variables).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    return JSON.parse(await succeed(machines[by].run("mcp-inspector", ["--cli", ...given, CLIENT, ...args])));
  };

  const calls = await report.check("--cli tools/list, and there is a call for each", async () => {
    const { tools } = await ask("ada", ["--method", "tools/list"]);
    return callsFor(tools.map((tool) => tool.name));
  });
  for (const call of calls) {
    await report.check(`--cli tools/call ${call.tool}${call.refused ? " refuses" : ""}`, async () => {
      const args = Object.entries(call.arguments).flatMap(([name, value]) => [
        "--tool-arg",
        `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
      ]);
      judge(call, await ask(call.by, ["--method", "tools/call", "--tool-name", call.tool, ...args]));
    });
  }
  const prompts = await report.check("--cli prompts/list, and there are arguments for each", async () => {
    const listed = await ask("ada", ["--method", "prompts/list"]);
    return promptsFor(listed.prompts.map((prompt) => prompt.name));
  });
  for (const [name, prompt] of prompts) {
    await report.check(`--cli prompts/get ${name}`, async () => {
      const args = Object.entries(prompt.arguments).flatMap(([argument, value]) => ["--prompt-args", `${argument}=${value}`]);
      const got = await ask("ada", ["--method", "prompts/get", "--prompt-name", name, ...args]);
      expect(got.messages[0].content.text.includes(prompt.leads), `it does not lead to ${prompt.leads}`, got);
    });
  }
  await report.check("--cli resources/list and resources/read: the transcript", async () => {
    const { resources } = await ask("ada", ["--method", "resources/list"]);
    expect(resources.length === 1, "another number of resources", resources);
    const read = await ask("ada", ["--method", "resources/read", "--uri", resources[0].uri]);
    expect(read.contents[0].text.includes(CONTEXT), "another transcript", read);
  });
  Object.values(machines).forEach((machine) => machine.remove());
}
