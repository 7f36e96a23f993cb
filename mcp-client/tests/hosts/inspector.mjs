// The MCP Inspector on the command line: each call is a server of its own, so what is kept between them is in the home.

import { callsFor, judge } from "./calls.mjs";
import { CLIENT, Machine, succeed } from "./machine.mjs";

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
  Object.values(machines).forEach((machine) => machine.remove());
}
