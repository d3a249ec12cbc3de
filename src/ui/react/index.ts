// src/ui/react shows a session of a server in a page of React.
export { SessionError } from "./session-error.ts";
export type { SessionView } from "./session-fold.ts";
export type { Subagent } from "./subagent-fold.ts";
export { useAgent } from "./use-agent.ts";
export type { AgentSession, UseAgentOptions } from "./use-agent.ts";
