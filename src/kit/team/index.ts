// src/kit/team lets agents work together: as tools of agents, as pipelines, and in hubs.
export { agentTool } from "./agent-tool.ts";
export { agentLogic, type AgentLogic } from "./agent-logic.ts";
export type {
  AgentActorCommand,
  AgentActorEmitted,
  AgentActorInput,
  AgentActorSnapshot,
  AgentLogicConfig,
  AgentLogicOptions,
  AgentRefused,
} from "./actor-options.ts";
export { askUser } from "./ask-user.ts";
export type { AskUserOptions } from "./ask-user.ts";
export { codeModel } from "./code-model.ts";
export type { CodeModelOptions, CodeStep, CodeTurn } from "./code-model.ts";
export { openHub } from "./hub.ts";
export type { Hub, HubOptions, HubParticipant } from "./hub.ts";
export { pipeline } from "./pipeline.ts";
export type { PipelineOptions } from "./pipeline.ts";
export { branch, fanOut, repeat, sequence } from "./steps.ts";
export type { CompositeStep, FanOutOptions, PipelineAgent, PipelineStep } from "./steps.ts";
export type { AgentToolAgent, AgentToolOptions, AgentToolRequest } from "./options.ts";
export { terminalAsk } from "./terminal-ask.ts";
export type { TerminalAskOptions } from "./terminal-ask.ts";
export { createUserAgent } from "./user-agent.ts";
export type { UserAgentOptions } from "./user-agent.ts";
export type { UserAsk, UserQuestion } from "./user-ask.ts";
