// The official clients, each brought to one shape: `open(plane, name, link)` gives an Agent.

import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

import { Agent, Human, launch } from "./harness.mjs";

const INFO = { name: "sdk-tests", version: "1.0.0" };
const CAPABILITIES = { elicitation: {} };

async function openV1(plane, name, link) {
  const human = new Human();
  const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, (request) => human.reply(request));
  const agent = new Agent(client, human);
  agent.resultSchemaFirst = true;
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => agent.told(params.uri));
  agent.follow = (uri) => client.subscribeResource({ uri });
  await client.connect(new StdioV1(launch(plane, name, link)));
  return agent;
}

async function openV2(mode, plane, name, link) {
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const human = new Human();
  const client = new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", (request) => human.reply(request));
  const agent = new Agent(client, human);
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => agent.told(params.uri));
  agent.follow = (uri) =>
    mode === "legacy" ? client.subscribeResource({ uri }) : client.listen({ resourceSubscriptions: [uri] });
  await client.connect(new StdioClientTransport(launch(plane, name, link)));
  return agent;
}

// The v2 line wants Node 20; on an older one it is left out, and named.
const hasNode20 = Number(process.versions.node.split(".")[0]) >= 20;

export const CLIENTS = [
  { name: "sdk v1, initialize", skip: false, version: "2025-11-25", open: openV1 },
  { name: "client v2, initialize", skip: !hasNode20, version: "2025-11-25", open: (...seat) => openV2("legacy", ...seat) },
  { name: "client v2, discover", skip: !hasNode20, version: "2026-07-28", open: (...seat) => openV2("auto", ...seat) },
];
