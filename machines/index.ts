// machines holds the statecharts that the package exports, and what draws them as data.
export { agentMachine, type AgentMachine } from "./agent/agent.machine.ts";
export { sessionMachine, type SessionMachine } from "./session/session.machine.ts";
export { chartJson } from "../src/diagram/chart-json.ts";
export type { Chart, ChartEdge, ChartName, ChartNode } from "../src/diagram/chart-json.ts";
export { chartMermaid } from "../src/diagram/chart-mermaid.ts";
