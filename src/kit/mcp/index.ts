// src/kit/mcp makes tools of agents from the tools of MCP servers.
export {
  mcp,
  type McpElicitation,
  type McpEvent,
  type McpOptions,
  type McpPrompt,
  type McpResource,
  type McpServer,
  type McpStatus,
  type McpToolOptions,
} from "./mcp.ts";
