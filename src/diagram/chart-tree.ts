import type { Chart, ChartEdge, ChartNode } from "./chart-json.ts";
import { drawn, edgeText } from "./chart-text.ts";

/** Transitions with the same ends: one line to each target, with a line of text for each transition. */
export type Strand = {
  readonly name: string;
  readonly source: string;
  readonly targets: readonly string[];
  readonly texts: readonly { readonly edge: string; readonly text: string }[];
};

/** A chart with parents and children at hand, its transitions sorted into what is drawn as a line and what as a pill. */
export class ChartTree {
  readonly chart: Chart;
  readonly root: ChartNode;
  /** Transitions of the root: they hold in every state. */
  readonly pills: readonly ChartEdge[];
  readonly strands: readonly Strand[];
  readonly #nodes: ReadonlyMap<string, ChartNode>;
  readonly #order: ReadonlyMap<string, number>;
  readonly #children = new Map<string, ChartNode[]>();

  constructor(chart: Chart) {
    const [root] = chart.nodes;
    if (!root) throw new TypeError("A chart has at least one state.");
    this.chart = chart;
    this.root = root;
    this.#nodes = new Map(chart.nodes.map((node) => [node.id, node]));
    this.#order = new Map(chart.nodes.map((node, index) => [node.id, index]));
    for (const node of chart.nodes) {
      if (node.parent === undefined) continue;
      const siblings = this.#children.get(node.parent);
      if (siblings) siblings.push(node);
      else this.#children.set(node.parent, [node]);
    }
    this.pills = chart.edges.filter(({ source }) => source === root.id);
    this.strands = this.#strands();
  }

  children(id: string): readonly ChartNode[] {
    return this.#children.get(id) ?? [];
  }

  hasChildren(id: string): boolean {
    return this.#children.has(id);
  }

  parent(id: string): string | undefined {
    return this.#nodes.get(id)?.parent;
  }

  /** Ids from the root's to its own. */
  path(id: string): readonly string[] {
    const parent = this.parent(id);
    return parent === undefined ? [id] : [...this.path(parent), id];
  }

  /** Keys from the child of the root to its own: "stopped.settling". */
  address(id: string): string {
    const keys = this.path(id).map((part) => this.#nodes.get(part)?.key ?? part);
    return keys.slice(1).join(".") || keys.join(".");
  }

  /** True if `one` stands after `other` in the machine file. */
  isAfter(one: string, other: string): boolean {
    return (this.#order.get(one) ?? 0) > (this.#order.get(other) ?? 0);
  }

  #strands(): Strand[] {
    const lines = this.chart.edges.filter(
      ({ source, targets }) => source !== this.root.id && targets.length > 0,
    );
    const groups = Map.groupBy(lines, ({ source, targets }) => JSON.stringify([source, ...targets]));
    return [...groups].map(([name, edges]) => {
      const { source, targets } = edges[0]!;
      const last = edges.at(-1);
      const texts = edges.map((edge) => {
        const text = edgeText(edge, this.chart);
        return { edge: edge.id, text: edge === last ? drawn(text + this.#outward(source, targets)) : text };
      });
      return { name, source, targets, texts };
    });
  }

  /** Lines from one large state to another share their way, so that the text says where each of them ends. */
  #outward(source: string, targets: readonly string[]): string {
    const [, top] = this.path(source);
    const isOutward = !this.hasChildren(source) && targets.some((target) => this.path(target)[1] !== top);
    const isInTop = this.path(source).length > 2;
    return isOutward && isInTop
      ? ` → ${targets.map((target) => this.#nodes.get(target)?.key ?? target).join(", ")}`
      : "";
  }
}
