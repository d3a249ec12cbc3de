import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { chartJson, type ChartName, type ChartNode } from "../../core/diagram/chart-json.ts";

/** The drawing of the agent's chart. */
export const drawing = chartJson(agentMachine);

/** The path of a state by the id of its node. */
export const pathOf = (id: string): string => id.slice(drawing.id.length + 1) || "root";

/** A guard or an action as text, such as "listens: preCall". */
export const labelOf = ({ name, params }: ChartName): string =>
  params ? `${name}: ${Object.values(params).join(", ")}` : name;

/** The states in which the chart can wait, in the order of the drawing. */
export const waitingStates: readonly (ChartNode & { readonly path: string })[] = drawing.nodes
  .filter(({ type, tags }) => type === "atomic" && !tags.includes("decision"))
  .map((node) => ({ ...node, path: pathOf(node.id) }));
