import type { ElkExtendedEdge, ElkNode, ElkPort } from "elkjs";
import type { ChartNode } from "./chart-json.ts";
import type { ChartTree, EdgeBundle } from "./chart-tree.ts";
import { levelOptions, type Direction, type Flow } from "./flow.ts";
import { labelSize } from "./measure.ts";
import { stateBox, type Detail, type StateBox } from "./state-box.ts";

/** The part of a line within one level. Parts that lead backwards are passed to ELK reversed. */
export type Segment = { readonly id: string; readonly isReversed: boolean };

/**
 * One line from the source of a bundle to one of its targets: its segments in order, cut at the borders it
 * crosses.
 */
export type Route = {
  /** The transitions that share the line. */
  readonly bundle: EdgeBundle;
  /** The id of the target state. */
  readonly target: string;
  /** True if the target comes before the source in the machine's configuration. */
  readonly isBackward: boolean;
  /** The segments, from the source to the target. */
  readonly segments: readonly Segment[];
};

type EdgeSegment = {
  readonly id: string;
  readonly ends: readonly [string, string];
  readonly texts: EdgeBundle["texts"];
  readonly isInline: boolean;
};
type Side = "NORTH" | "SOUTH" | "EAST" | "WEST";
type ElkState = ElkNode & { readonly ports: ElkPort[]; readonly edges: ElkExtendedEdge[] };

/** The distance between the arrow into a leaf state and the corner of its box, in px. */
const ARROW_INSET = 16;

/**
 * The input of ELK for a chart. ELK lays out each level by itself, so a line that crosses borders is cut into
 * segments that meet in ports. Lines from within one state to the same neighbour share the path between the
 * two. Lines that lead backwards in the order of the machine's configuration are reversed, so that ELK finds no
 * cycle to break.
 */
export class ElkGraph {
  /** The graph that is passed to ELK. */
  readonly root: ElkNode;
  /** The detail that the boxes show. */
  readonly detail: Detail;
  /** The lines of the chart. */
  readonly routes: readonly Route[];
  /** The measured boxes, by the ids of their states. */
  readonly boxes = new Map<string, StateBox>();
  readonly #tree: ChartTree;
  readonly #flow: Flow;
  readonly #nodes = new Map<string, ElkState>();
  readonly #createdIds = new Set<string>();

  constructor(tree: ChartTree, flow: Flow, detail: Detail) {
    this.#tree = tree;
    this.detail = detail;
    this.#flow = flow;
    const options = { "elk.json.edgeCoords": "ROOT", "elk.json.shapeCoords": "ROOT", "elk.padding": "[]" };
    this.root = {
      id: "",
      layoutOptions: { "elk.algorithm": "layered", ...options },
      children: [this.#node(tree.root)],
    };
    this.routes = tree.bundles.flatMap((bundle) =>
      bundle.targets.map((target) => this.#route(bundle, target)),
    );
  }

  /** The direction in which the children of `parent` follow one another. */
  direction(parent: string): Direction {
    const depth = this.#tree.path(parent).length - 1;
    return this.#flow[Math.min(depth, this.#flow.length - 1)]!;
  }

  #node(node: ChartNode): ElkNode {
    const box = stateBox(node, this.#tree, this.detail);
    const { width, height } = box;
    const isOpen = this.#tree.hasChildren(node.id);
    const open = {
      children: this.#tree.children(node.id).map((child) => this.#node(child)),
      layoutOptions: {
        ...levelOptions(this.direction(node.id), this.detail),
        "elk.padding":
          this.detail === "all"
            ? `[top=${height + 14},left=24,bottom=18,right=18]`
            : `[top=${height + 6},left=16,bottom=12,right=12]`,
        "elk.nodeSize.minimum": `(${width + 20}, 60)`,
      },
    };
    const leaf = { width, height, layoutOptions: { "elk.portConstraints": "FIXED_POS" } };
    const placed: ElkState = { id: node.id, ports: [], edges: [], ...(isOpen ? open : leaf) };
    this.#nodes.set(node.id, placed);
    this.boxes.set(node.id, box);
    return placed;
  }

  #route(bundle: EdgeBundle, target: string): Route {
    const { source, name } = bundle;
    const [from, to] = [this.#tree.path(source), this.#tree.path(target)];
    const isLoop = source === target;
    // The deepest level that contains both ends, and the ancestors of the two ends on that level.
    const level = isLoop ? from.length - 2 : commonLength(from, to) - 1;
    const [here, there] = [from[level + 1], to[level + 1]];
    const isBackward =
      here !== undefined && there !== undefined && here !== there && this.#tree.isAfter(here, there);

    const segments: Segment[] = [];
    let at = this.#sourcePort(bundle, here === undefined ? isBackward : !isBackward);
    const goTo = (next: string, within: string): void => {
      const isFirst = segments.length === 0;
      const id = `${isFirst ? name : at} → ${next}`;
      const texts =
        this.detail === "all" && isFirst && this.#tree.hasChildren(source) && target === bundle.targets[0]
          ? bundle.texts
          : [];
      segments.push({ id, isReversed: isBackward });
      this.#edge(within, { id, ends: isBackward ? [next, at] : [at, next], texts, isInline: !isLoop });
      at = next;
    };
    for (const border of from.slice(level + 1, -1).toReversed()) {
      goTo(this.#borderPort(border, `to ${there ?? target}`, !isBackward), border);
    }
    for (const [index, border] of to.slice(level + 1, -1).entries()) {
      goTo(this.#borderPort(border, "into", isBackward), to[level + index]!);
    }
    goTo(
      this.#targetPort(
        target,
        isBackward || there === undefined || (isLoop && !this.#tree.hasChildren(target)),
      ),
      to[Math.max(level, to.length - 2)]!,
    );
    return { bundle, target, isBackward, segments };
  }

  /** The port where a line starts: beside its label in a leaf state, else on the border. */
  #sourcePort(bundle: EdgeBundle, isForward: boolean): string {
    const { name, source } = bundle;
    if (this.#tree.hasChildren(source)) return this.#borderPort(source, `from ${name}`, isForward);
    const { width, height, labels } = this.boxes.get(source)!;
    const label = labels.get(bundle);
    if (!label) {
      if (!isForward) return this.#port(source, "back", "WEST", { x: 0, y: height / 2 + 4 });
      return this.direction(this.#tree.parent(source) ?? source) === "RIGHT"
        ? this.#port(source, "out", "EAST", { x: width, y: height / 2 + 4 })
        : this.#port(source, "out", "SOUTH", { x: width / 2, y: height });
    }
    const y = Math.round(label.y + label.height / 2);
    return this.#port(source, name, isForward ? "EAST" : "WEST", { x: isForward ? width : 0, y });
  }

  /** The port where lines into a state end: beside or above the title of a leaf state, else on the border. */
  #targetPort(id: string, isFromLaterSibling: boolean): string {
    if (this.#tree.hasChildren(id)) return this.#borderPort(id, "into", isFromLaterSibling);
    const { width, height } = this.boxes.get(id)!;
    const hasNameOnly = this.detail === "names";
    if (isFromLaterSibling)
      return this.#port(id, "into", "EAST", { x: width, y: hasNameOnly ? height / 2 - 4 : ARROW_INSET });
    return this.direction(this.#tree.parent(id) ?? id) === "RIGHT"
      ? this.#port(id, "into", "WEST", { x: 0, y: hasNameOnly ? height / 2 - 4 : ARROW_INSET })
      : this.#port(id, "into", "NORTH", { x: hasNameOnly ? width / 2 : width - ARROW_INSET - 4, y: 0 });
  }

  /**
   * A port on the border of a compound state, on the side where lines to later siblings leave or lines from
   * earlier ones arrive.
   */
  #borderPort(id: string, name: string, isEnd: boolean): string {
    const sides = { RIGHT: ["WEST", "EAST"], DOWN: ["NORTH", "SOUTH"] } as const;
    return this.#port(id, name, sides[this.direction(this.#tree.parent(id) ?? id)][isEnd ? 1 : 0]);
  }

  #port(
    node: string,
    name: string,
    side: Side,
    place: { readonly x?: number; readonly y?: number } = {},
  ): string {
    const id = `${node} ${side} ${name}`;
    if (!this.#createdIds.has(id)) {
      const layoutOptions = { "elk.port.side": side };
      this.#nodes.get(node)!.ports.push({ id, ...place, width: 0, height: 0, layoutOptions });
    }
    this.#createdIds.add(id);
    return id;
  }

  #edge(within: string, { id, ends: [source, target], texts, isInline }: EdgeSegment): void {
    if (this.#createdIds.has(id)) return;
    this.#createdIds.add(id);
    const layoutOptions = {
      "elk.edgeLabels.inline": String(isInline),
      "elk.edgeLabels.placement": "CENTER",
    };
    const text = texts.map((line) => line.text).join("\n");
    const label = { id: `${id} label`, text, ...labelSize(texts), layoutOptions };
    const labels = texts.length > 0 ? [label] : [];
    this.#nodes.get(within)!.edges.push({ id, sources: [source], targets: [target], labels });
  }
}

/** The number of ids that two paths share, from the root on. */
function commonLength(one: readonly string[], other: readonly string[]): number {
  const apart = one.findIndex((id, index) => id !== other[index]);
  return apart === -1 ? one.length : apart;
}
