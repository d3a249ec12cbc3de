import type { Chart, ChartNode } from "../../core/diagram/chart-json.ts";

/** Returns the ids of the states that are active once a state was entered, outermost first. */
export function statesIn(target: string, { nodes }: Chart): readonly string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const active: string[] = [];
  for (let id = byId.get(target)?.parent; id !== undefined; id = byId.get(id)?.parent) active.unshift(id);
  for (let id: string | undefined = target; id !== undefined; id = byId.get(id)?.initial) active.push(id);
  return active;
}

/**
 * Returns the ids of the states that are active in a stored state such as "acting.executing", outermost first.
 * Stored names omit `running`, which is inserted again. Keys that the chart does not contain are ignored.
 */
export function activeStates(state: string, { nodes }: Chart): readonly string[] {
  const [root] = nodes;
  if (!root) return [];
  const childOf = (parent: ChartNode, key: string | undefined): ChartNode | undefined =>
    nodes.find((node) => node.parent === parent.id && node.key === key);
  const active = [root];
  for (const key of state.split(".")) {
    const at = active.at(-1)!;
    const direct = childOf(at, key);
    if (direct) active.push(direct);
    else {
      const running = childOf(at, "running");
      const inner = running && childOf(running, key);
      if (!running || !inner) break;
      active.push(running, inner);
    }
  }
  for (let at = active.at(-1)!; at.type === "compound"; at = active.at(-1)!) {
    const inner = childOf(at, "running") ?? nodes.find(({ id }) => id === at.initial);
    if (!inner) break;
    active.push(inner);
  }
  return active.map(({ id }) => id);
}
