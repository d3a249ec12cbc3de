import type { Chart, ChartEdge, ChartNode } from "./chart-json.ts";
import { drawable, edgeText } from "./chart-text.ts";

/**
 * The transitions with the same source and targets: they share one line to each target, labelled with one text
 * each.
 */
export type EdgeBundle = {
  /** A unique name of the bundle. */
  readonly name: string;
  /** The id of the source state. */
  readonly source: string;
  /** The ids of the target states. */
  readonly targets: readonly string[];
  /** The label of each transition, with the id of its edge. */
  readonly texts: readonly { readonly edge: string; readonly text: string }[];
};

/**
 * A chart indexed by parent and child, with its transitions sorted into those that are drawn as lines and those
 * of the root.
 */
export class ChartTree {
  /** The indexed chart. */
  readonly chart: Chart;
  /** The root state. */
  readonly root: ChartNode;
  /** The transitions of the root, which apply in every state and are drawn as pills. */
  readonly pills: readonly ChartEdge[];
  /** The transitions that are drawn as lines. */
  readonly bundles: readonly EdgeBundle[];
  readonly #nodes: ReadonlyMap<string, ChartNode>;
  readonly #order: ReadonlyMap<string, number>;
  readonly #children = new Map<string, ChartNode[]>();
  readonly #bundlesFrom: ReadonlyMap<string, readonly EdgeBundle[]>;

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
    this.bundles = this.#bundles();
    this.#bundlesFrom = Map.groupBy(this.bundles, ({ source }) => source);
  }

  /** Returns the child states of a state, in document order. */
  children(id: string): readonly ChartNode[] {
    return this.#children.get(id) ?? [];
  }

  /** Returns whether a state has child states. */
  hasChildren(id: string): boolean {
    return this.#children.has(id);
  }

  /** Returns the lines that leave a state. */
  bundlesFrom(id: string): readonly EdgeBundle[] {
    return this.#bundlesFrom.get(id) ?? [];
  }

  /** Returns the id of the parent state; undefined for the root. */
  parent(id: string): string | undefined {
    return this.#nodes.get(id)?.parent;
  }

  /** The ids from the root to the state. */
  path(id: string): readonly string[] {
    const parent = this.parent(id);
    return parent === undefined ? [id] : [...this.path(parent), id];
  }

  /** The keys from the child of the root to the state: "stopped.settling". */
  address(id: string): string {
    const keys = this.path(id).map((part) => this.#nodes.get(part)?.key ?? part);
    return keys.slice(1).join(".") || keys.join(".");
  }

  /** True if `one` comes after `other` in the machine's configuration. */
  isAfter(one: string, other: string): boolean {
    return (this.#order.get(one) ?? 0) > (this.#order.get(other) ?? 0);
  }

  #bundles(): EdgeBundle[] {
    const lines = this.chart.edges.filter(
      ({ source, targets }) => source !== this.root.id && targets.length > 0,
    );
    const groups = Map.groupBy(lines, ({ source, targets }) => JSON.stringify([source, ...targets]));
    return [...groups].map(([name, edges]) => {
      const { source, targets } = edges[0]!;
      const last = edges.at(-1);
      const texts = edges.map((edge) => {
        const text = edgeText(edge, this.chart);
        return {
          edge: edge.id,
          text: edge === last ? drawable(text + this.#targetSuffix(source, targets)) : text,
        };
      });
      return { name, source, targets, texts };
    });
  }

  /**
   * Names the targets of lines that leave a top-level state: these lines are merged, so the text has to say
   * where each one ends.
   */
  #targetSuffix(source: string, targets: readonly string[]): string {
    const [, top] = this.path(source);
    const isOutward = !this.hasChildren(source) && targets.some((target) => this.path(target)[1] !== top);
    const isInTop = this.path(source).length > 2;
    return isOutward && isInTop
      ? ` → ${targets.map((target) => this.#nodes.get(target)?.key ?? target).join(", ")}`
      : "";
  }
}
