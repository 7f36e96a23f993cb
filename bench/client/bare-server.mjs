// The least an MCP server on Node can be, with the official SDK: one tool that does nothing.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "bare", version: "1.0.0" });
server.registerTool("nothing", { description: "Does nothing." }, async () => ({ content: [] }));
await server.connect(new StdioServerTransport());
