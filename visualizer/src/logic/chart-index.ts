import type { Chart, ChartEdge, ChartNode } from "../wire/types.ts";

/** A chart with the ways to look things up. */
export type ChartIndex = {
  readonly chart: Chart;
  readonly root: string;
  readonly nodes: ReadonlyMap<string, ChartNode>;
  readonly edges: ReadonlyMap<string, ChartEdge>;
  readonly children: ReadonlyMap<string, readonly ChartNode[]>;
  /** The transitions of a state, in order. */
  readonly leaving: ReadonlyMap<string, readonly ChartEdge[]>;
  /** Position of a state in the machine file. */
  readonly order: ReadonlyMap<string, number>;
};

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

/** The child of the root within which a state lies; undefined for the root. */
export function topOf(index: ChartIndex, id: string): string | undefined {
  let at = index.nodes.get(id);
  while (at?.parent !== undefined && at.parent !== index.root) at = index.nodes.get(at.parent);
  return at?.parent === index.root ? at.id : undefined;
}

/** A state's name without the root: "acting.executing.running". */
export function shortName(id: string): string {
  const dot = id.indexOf(".");
  return dot === -1 ? id : id.slice(dot + 1);
}

/** The last name of a state. */
export function keyOf(id: string): string {
  return id.slice(id.lastIndexOf(".") + 1);
}

/** What a configuration is called: its innermost states. */
export function configurationName(states: readonly string[]): string {
  const inner = states.filter((id) => !states.some((other) => other !== id && other.startsWith(`${id}.`)));
  return inner.map(shortName).join(" + ");
}

/** True if nothing is done in these states but wait: no service runs in any of them, none is waited for. */
export function isRest(index: ChartIndex | undefined, states: readonly string[]): boolean {
  const inner = states.at(-1);
  if (inner === undefined) return false;
  if (!index) return /\b(idle|waiting)$/.test(inner);
  const isWorking = states.some((id) => (index.nodes.get(id)?.invoke.length ?? 0) > 0);
  const leaves = index.leaving.get(inner) ?? [];
  return !isWorking && leaves.every(({ kind }) => kind !== "always" && kind !== "done");
}

export type Tone = "violet" | "cyan" | "blue" | "pink" | "amber" | "slate" | "green" | "red";

const KNOWN: { readonly [key: string]: Tone } = {
  doCall: "blue",
  reasoning: "violet",
  acting: "cyan",
  summarizing: "pink",
  suspended: "amber",
  stopped: "slate",
};
const OTHERS: readonly Tone[] = ["cyan", "violet", "blue", "pink", "amber", "green", "slate"];

/** The colour of a top state: what it has in the agent's chart, else by its place. */
export function toneOf(index: ChartIndex | undefined, states: readonly string[]): Tone {
  const top = states[1] ?? states[0];
  if (top === undefined) return "slate";
  const known = KNOWN[keyOf(top)];
  if (known || !index) return known ?? "slate";
  const place = (index.children.get(index.root) ?? []).findIndex(({ id }) => id === top);
  return OTHERS[Math.max(place, 0) % OTHERS.length]!;
}
