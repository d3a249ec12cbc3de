import { isDecision } from "../../../src/core/diagram/chart-json.ts";
import type { Chart, ChartEdge, ChartNode } from "../wire/types.ts";

/** A chart with lookup tables. */
export type ChartIndex = {
  readonly chart: Chart;
  readonly root: string;
  readonly nodes: ReadonlyMap<string, ChartNode>;
  readonly edges: ReadonlyMap<string, ChartEdge>;
  readonly children: ReadonlyMap<string, readonly ChartNode[]>;
  /** The transitions of each state, in order. */
  readonly leaving: ReadonlyMap<string, readonly ChartEdge[]>;
  /** The position of each state in the machine's configuration. */
  readonly order: ReadonlyMap<string, number>;
};

/** Creates the lookup tables of a chart. */
export function indexChart(chart: Chart): ChartIndex {
  const children = new Map<string, ChartNode[]>();
  for (const node of chart.nodes) {
    if (node.parent === undefined) continue;
    const siblings = children.get(node.parent);
    if (siblings) siblings.push(node);
    else children.set(node.parent, [node]);
  }
  return {
    chart,
    root: chart.nodes.find(({ parent }) => parent === undefined)?.id ?? chart.id,
    nodes: new Map(chart.nodes.map((node) => [node.id, node])),
    edges: new Map(chart.edges.map((edge) => [edge.id, edge])),
    children,
    leaving: Map.groupBy(chart.edges, ({ source }) => source),
    order: new Map(chart.nodes.map(({ id }, index) => [id, index])),
  };
}

/** The edges that leave a decision; undefined for a state. A step that passes the decision takes one of them. */
export function edgesLeaving({ nodes, leaving }: ChartIndex, id: string): readonly string[] | undefined {
  const node = nodes.get(id);
  return node && isDecision(node) ? (leaving.get(id) ?? []).map((edge) => edge.id) : undefined;
}

/** The top-level state that contains a state; undefined for the root. */
export function topOf(index: ChartIndex, id: string): string | undefined {
  let at = index.nodes.get(id);
  while (at?.parent !== undefined && at.parent !== index.root) at = index.nodes.get(at.parent);
  return at?.parent === index.root ? at.id : undefined;
}

/** The path of a state without the root: "acting.executing.running". */
export function shortName(id: string): string {
  const dot = id.indexOf(".");
  return dot === -1 ? id : id.slice(dot + 1);
}

/** The own key of a state. */
export function keyOf(id: string): string {
  return id.slice(id.lastIndexOf(".") + 1);
}

/** The name of a configuration: its innermost states. */
export function configurationName(states: readonly string[]): string {
  const inner = states.filter((id) => !states.some((other) => other !== id && other.startsWith(`${id}.`)));
  return inner.map(shortName).join(" + ");
}

/** True if the states only wait: no service runs in any of them and no transition is automatic. */
export function isRest(index: ChartIndex | undefined, states: readonly string[]): boolean {
  const inner = states.at(-1);
  if (inner === undefined) return false;
  if (!index) return /\b(idle|unfinished|waiting)$/.test(inner);
  const isWorking = states.some((id) => (index.nodes.get(id)?.invoke.length ?? 0) > 0);
  const leaves = index.leaving.get(inner) ?? [];
  return (
    !isWorking && leaves.every(({ kind, event }) => kind === "error" || (kind === "event" && event !== TIMER))
  );
}

/** The event of the agent's timer. */
const TIMER = "timer.due";

/** The name of a colour of the page's theme. */
export type Tone = "violet" | "cyan" | "blue" | "pink" | "amber" | "slate" | "green" | "red";

const AGENT_TONES = new Map<string, Tone>(
  Object.entries({
    doCall: "blue",
    reasoning: "violet",
    acting: "cyan",
    summarizing: "pink",
    suspended: "amber",
    stopped: "slate",
  }),
);
const TONES: readonly Tone[] = ["cyan", "violet", "blue", "pink", "amber", "green", "slate"];

/** The colour of a top-level state: fixed for the agent's chart, else by its position. */
export function toneOf(index: ChartIndex | undefined, states: readonly string[]): Tone {
  const top = states[1] ?? states[0];
  if (top === undefined) return "slate";
  const known = AGENT_TONES.get(keyOf(top));
  if (known || !index) return known ?? "slate";
  const place = (index.children.get(index.root) ?? []).findIndex(({ id }) => id === top);
  return TONES[Math.max(place, 0) % TONES.length]!;
}
