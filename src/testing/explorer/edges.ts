import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { chartJson, type ChartEdge, type ChartName, type ChartNode } from "../../core/diagram/chart-json.ts";

/** The drawing of the agent's chart. */
export const drawing = chartJson(agentMachine);

const pathOf = (id: string): string => id.slice(drawing.id.length + 1) || "root";

/** A guard or an action as text, such as "listens: preCall". */
export const labelOf = ({ name, params }: ChartName): string =>
  params ? `${name}: ${Object.values(params).join(", ")}` : name;

/** An edge as text, such as "reasoning.calling on xstate.done.actor.callModel [retryable] → reasoning.backingOff". */
function textOf({ source, event, guard, targets, actions }: ChartEdge): string {
  const on = event === "" ? "" : ` on ${event}`;
  const to = targets.map(pathOf).join(", ") || `itself (${actions.map(labelOf).join(", ")})`;
  return `${pathOf(source)}${on}${guard ? ` [${labelOf(guard)}]` : ""} → ${to}`;
}

/** The edges of the drawing, and which of them a walk has taken. */
export class EdgeCoverage {
  readonly #taken = new Set<string>();

  take(edge: string): void {
    this.#taken.add(edge);
  }

  get taken(): ReadonlySet<string> {
    return this.#taken;
  }

  get all(): readonly string[] {
    return drawing.edges.map(({ id }) => id);
  }

  get untaken(): readonly string[] {
    return drawing.edges.filter(({ id }) => !this.#taken.has(id)).map(textOf);
  }
}

/** The states in which the chart can wait, in the order of the drawing. */
export const waitingStates: readonly (ChartNode & { readonly path: string })[] = drawing.nodes
  .filter(({ type, tags }) => type === "atomic" && !tags.includes("decision"))
  .map((node) => ({ ...node, path: pathOf(node.id) }));
