// machines holds the statecharts that the package exports, and what draws them as data.
export { agentMachine, type AgentMachine } from "./agent/agent.machine.ts";
export type { AgentContext } from "./agent/context.ts";
export type { AgentCommand } from "./agent/events.ts";
export type {
  CommitInput,
  CommitOutcome,
  HooksInput,
  HooksOutcome,
  ModelInput,
  ModelOutcome,
  ReviewInput,
  ReviewOutcome,
  ToolInput,
  ToolRunOutcome,
} from "./agent/services.ts";
export { sessionMachine, type SessionMachine } from "./session/session.machine.ts";
export { chartJson } from "../src/core/diagram/chart-json.ts";
export type { Chart, ChartEdge, ChartName, ChartNode } from "../src/core/diagram/chart-json.ts";
export { chartMermaid } from "../src/core/diagram/chart-mermaid.ts";
export { chartXState } from "../src/core/diagram/chart-xstate.ts";
