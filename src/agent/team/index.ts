// src/agent/team lets agents work together: as tools of agents, and as pipelines.
export { agentTool } from "./agent-tool.ts";
export { codeModel } from "./code-model.ts";
export type { CodeModelOptions, CodeStep, CodeTurn } from "./code-model.ts";
export { pipeline } from "./pipeline.ts";
export type { PipelineOptions } from "./pipeline.ts";
export { branch, fanOut, repeat, sequence } from "./steps.ts";
export type { CompositeStep, FanOutOptions, PipelineAgent, PipelineStep } from "./steps.ts";
export type { AgentToolAgent, AgentToolOptions, AgentToolRequest } from "./options.ts";
