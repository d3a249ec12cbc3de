export { agentMachine } from "./agent.machine.ts";
export { chartJson } from "../src/chart/chart-json.ts";
export type { Chart, ChartEdge, ChartName, ChartNode } from "../src/chart/chart-json.ts";
export { chartMermaid } from "../src/chart/chart-mermaid.ts";
