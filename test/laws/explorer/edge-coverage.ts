import type { ChartEdge } from "../../../src/core/diagram/chart-json.ts";
import { drawing, labelOf, pathOf } from "../../../src/testing/explorer/edges.ts";

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
