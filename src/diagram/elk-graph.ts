import type { ElkExtendedEdge, ElkNode, ElkPort } from "elkjs";
import type { ChartNode } from "./chart-json.ts";
import type { ChartTree, Strand } from "./chart-tree.ts";
import { levelOptions, type Direction, type Flow } from "./flow.ts";
import { labelSize } from "./measure.ts";
import { stateBox, type Detail, type StateBox } from "./state-box.ts";

/** A stretch of a line within one level. ELK gets those that lead back in reverse. */
export type Stretch = { readonly id: string; readonly isReversed: boolean };

/** One line from a strand's source to one of its targets: stretches in order, cut at the borders that it crosses. */
export type Route = {
  readonly strand: Strand;
  readonly target: string;
  /** True if the target stands before the source in the machine file. */
  readonly isBack: boolean;
  readonly stretches: readonly Stretch[];
};

type Piece = {
  readonly id: string;
  readonly ends: readonly [string, string];
  readonly texts: Strand["texts"];
  readonly isInline: boolean;
};
type Side = "NORTH" | "SOUTH" | "EAST" | "WEST";
type Placed = ElkNode & { readonly ports: ElkPort[]; readonly edges: ElkExtendedEdge[] };

/** Where the one arrow into a state without children ends, px from its corner. */
const ENTRY = 16;

/**
 * A chart as ELK takes it. Each level is laid out by itself, so a line that crosses borders is cut into stretches that meet
 * in ports. Lines from within one state to the same neighbour share the way between the two. What leads back in the order
 * of the machine file is handed over reversed, so that ELK breaks no cycle by itself.
 */
export class ElkGraph {
  readonly root: ElkNode;
  readonly detail: Detail;
  readonly routes: readonly Route[];
  readonly boxes = new Map<string, StateBox>();
  readonly #tree: ChartTree;
  readonly #flow: Flow;
  readonly #nodes = new Map<string, Placed>();
  readonly #known = new Set<string>();

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
    this.routes = tree.strands.flatMap((strand) =>
      strand.targets.map((target) => this.#route(strand, target)),
    );
  }

  /** The way in which the children of `parent` follow one another. */
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
    const placed: Placed = { id: node.id, ports: [], edges: [], ...(isOpen ? open : leaf) };
    this.#nodes.set(node.id, placed);
    this.boxes.set(node.id, box);
    return placed;
  }

  #route(strand: Strand, target: string): Route {
    const { source, name } = strand;
    const [from, to] = [this.#tree.path(source), this.#tree.path(target)];
    const isLoop = source === target;
    // The level in which both ends lie, and what of the two paths is a child of it.
    const level = isLoop ? from.length - 2 : commonLength(from, to) - 1;
    const [here, there] = [from[level + 1], to[level + 1]];
    const isBack =
      here !== undefined && there !== undefined && here !== there && this.#tree.isAfter(here, there);

    const stretches: Stretch[] = [];
    let at = this.#start(strand, here === undefined ? isBack : !isBack);
    const goTo = (next: string, within: string): void => {
      const isFirst = stretches.length === 0;
      const id = `${isFirst ? name : at} → ${next}`;
      const texts =
        this.detail === "all" && isFirst && this.#tree.hasChildren(source) && target === strand.targets[0]
          ? strand.texts
          : [];
      stretches.push({ id, isReversed: isBack });
      this.#edge(within, { id, ends: isBack ? [next, at] : [at, next], texts, isInline: !isLoop });
      at = next;
    };
    for (const border of from.slice(level + 1, -1).toReversed()) {
      goTo(this.#border(border, `to ${there ?? target}`, !isBack), border);
    }
    for (const [index, border] of to.slice(level + 1, -1).entries()) {
      goTo(this.#border(border, "into", isBack), to[level + index]!);
    }
    goTo(
      this.#arrival(target, isBack || there === undefined || (isLoop && !this.#tree.hasChildren(target))),
      to[Math.max(level, to.length - 2)]!,
    );
    return { strand, target, isBack, stretches };
  }

  /** Where a line begins: at its text in a state without children, else at the border. */
  #start(strand: Strand, isForward: boolean): string {
    const { name, source } = strand;
    if (this.#tree.hasChildren(source)) return this.#border(source, `from ${name}`, isForward);
    const { width, height, labels } = this.boxes.get(source)!;
    const label = labels.get(strand);
    if (!label) {
      if (!isForward) return this.#port(source, "back", "WEST", { x: 0, y: height / 2 + 4 });
      return this.direction(this.#tree.parent(source) ?? source) === "RIGHT"
        ? this.#port(source, "out", "EAST", { x: width, y: height / 2 + 4 })
        : this.#port(source, "out", "SOUTH", { x: width / 2, y: height });
    }
    const y = Math.round(label.y + label.height / 2);
    return this.#port(source, name, isForward ? "EAST" : "WEST", { x: isForward ? width : 0, y });
  }

  /** Where lines into a state end: at one place beside or above its title, or at the border around its children. */
  #arrival(id: string, isFromBehind: boolean): string {
    if (this.#tree.hasChildren(id)) return this.#border(id, "into", isFromBehind);
    const { width, height } = this.boxes.get(id)!;
    const isBare = this.detail === "names";
    if (isFromBehind) return this.#port(id, "into", "EAST", { x: width, y: isBare ? height / 2 - 4 : ENTRY });
    return this.direction(this.#tree.parent(id) ?? id) === "RIGHT"
      ? this.#port(id, "into", "WEST", { x: 0, y: isBare ? height / 2 - 4 : ENTRY })
      : this.#port(id, "into", "NORTH", { x: isBare ? width / 2 : width - ENTRY - 4, y: 0 });
  }

  /** A port of a state with children, on the side where lines to later siblings leave or from earlier ones arrive. */
  #border(id: string, name: string, isEnd: boolean): string {
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
    if (!this.#known.has(id)) {
      const layoutOptions = { "elk.port.side": side };
      this.#nodes.get(node)!.ports.push({ id, ...place, width: 0, height: 0, layoutOptions });
    }
    this.#known.add(id);
    return id;
  }

  #edge(within: string, { id, ends: [source, target], texts, isInline }: Piece): void {
    if (this.#known.has(id)) return;
    this.#known.add(id);
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

/** How many ids two paths share from the root on. */
function commonLength(one: readonly string[], other: readonly string[]): number {
  const apart = one.findIndex((id, index) => id !== other[index]);
  return apart === -1 ? one.length : apart;
}
