// src/agent/team lets agents work together: an agent as a tool of another one, with a session of its own.
export { agentTool } from "./agent-tool.ts";
export type { AgentToolAgent, AgentToolOptions, AgentToolRequest } from "./options.ts";
