import { isDecision } from "../../../src/core/diagram/chart-json.ts";
import { shortName, type ChartIndex } from "../logic/chart-index.ts";

/** A place of the agent map that stands for states of the agent's chart. */
export const PLACES = ["input", "prompt", "model", "tools", "people", "answer"] as const;
/** One of {@link PLACES}. */
export type Place = (typeof PLACES)[number];

/** The place of a part of the chart, by the path of its outermost state; the longest path counts. */
const PARTS: { readonly [path: string]: Place } = {
  doCall: "input",
  reasoning: "model",
  "reasoning.checkingLimits": "prompt",
  "reasoning.checkingBreakpoints": "prompt",
  "reasoning.preHooks": "prompt",
  "reasoning.compacting": "prompt",
  "stopped.compacting": "prompt",
  summarizing: "model",
  acting: "tools",
  suspended: "people",
  stopped: "answer",
};

/** Returns the place that a state belongs to; undefined for the root, and for states of a chart that is not an agent's. */
export function placeOf(id: string): Place | undefined {
  const path = shortName(id);
  if (path === id) return undefined;
  for (let part = path; part !== ""; part = part.slice(0, Math.max(0, part.lastIndexOf("."))))
    if (Object.hasOwn(PARTS, part)) return PARTS[part];
  return undefined;
}

/** True for a chart that the map can be made of: one that has a part for each place, and asks a model in that of the model. */
export function isAgentChart(index: ChartIndex): boolean {
  const known = judged.get(index);
  if (known !== undefined) return known;
  const judgement = hasAllPlaces(index);
  judged.set(index, judgement);
  return judgement;
}

const judged = new WeakMap<ChartIndex, boolean>();

function hasAllPlaces({ chart, root }: ChartIndex): boolean {
  const places = new Set(chart.nodes.map(({ id }) => placeOf(id)));
  return (
    PLACES.every((place) => places.has(place)) &&
    chart.nodes.every(({ id, parent }) => id === root || parent !== root || placeOf(id) !== undefined) &&
    chart.nodes.some(({ id, invoke }) => invoke.includes("callModel") && placeOf(id) === "model")
  );
}

/** Returns the outermost states that a place stands for, in the order of the chart. */
export function statesOf({ chart, root, nodes }: ChartIndex, place: Place): readonly string[] {
  return chart.nodes.flatMap((node) => {
    if (node.id === root || placeOf(node.id) !== place) return [];
    const above = node.parent === undefined ? undefined : nodes.get(node.parent);
    const isOutermost = !above || above.id === root || placeOf(above.id) !== place;
    return isOutermost ? [node.id] : [];
  });
}

/** Returns the place in which a configuration is, given from its outermost to its innermost state. */
export function activePlace({ nodes }: ChartIndex, states: readonly string[]): Place | undefined {
  const inner = states.findLast((id) => {
    const node = nodes.get(id);
    return node !== undefined && !isDecision(node);
  });
  return inner === undefined ? undefined : placeOf(inner);
}
