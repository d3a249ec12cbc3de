import type { ChartEdge } from "../wire/types.ts";
import type { ChartIndex } from "./chart-index.ts";
import { t } from "../words/t.ts";

/** The judgement of an edge in a step. `false`: its guard was; `preempted`: it held, and an edge of another region left its state before. */
export type Judged = "taken" | "false" | "preempted";

/** The edges of one state that a step has judged, in the order in which XState asks them. */
export type Choice = {
  readonly source: string;
  readonly edges: readonly { readonly edge: ChartEdge; readonly is: Judged }[];
  /** The number of edges after the one that was taken: nobody asked them. */
  readonly unasked: number;
};

/** The known parts of a step. */
export type Told = {
  readonly event: string;
  /** The ids of the edges that were taken, in order. */
  readonly taken: readonly string[];
  /** The edges that were selected and not taken, each with its place among those that were. */
  readonly preempted?: readonly (readonly [at: number, edge: string])[];
  /** The states before the step; none if they are not known. */
  readonly before: readonly string[];
  /** False if an edge may have been taken that is not told. */
  readonly isWhole: boolean;
};

/** Returns the choices of a step, by what XState does at an event. It asks the innermost states first, the edges of the event before those of
 *  wildcards, and selects the first whose guard holds. It tells each edge that it has selected. No guard is asked again. */
export function choicesOf(index: ChartIndex, told: Told): readonly Choice[] {
  const { event, before, isWhole } = told;
  const selected = selectedIn(told);
  const edges = selected.flatMap(({ id, is }) => {
    const edge = index.edges.get(id);
    return edge ? [{ edge, is }] : [];
  });
  const isComplete =
    isWhole && edges.length === selected.length && !edges.some(({ edge: { learnt } }) => learnt);
  const all = edges.map(({ edge }) => edge);
  const first = isComplete ? firstOf(index, all, event, before) : [];
  const isTold = isComplete && (first.length > 0 || edges.length === 0);
  const judged = edges.slice(0, first.length);
  const choices = isTold ? new Selection(index, event, before, judged).choices() : [];
  return [...choices, ...edges.slice(first.length).map(({ edge, is }) => choiceOf(index, edge, is))];
}

/** The edges that a step has selected, in order. */
function selectedIn({
  taken,
  preempted = [],
}: Told): readonly { readonly id: string; readonly is: Judged }[] {
  const all: { readonly id: string; readonly is: Judged }[] = [];
  let next = 0;
  const addUpTo = (place: number): void => {
    for (; next < preempted.length && preempted[next]![0] <= place; next++)
      all.push({ id: preempted[next]![1], is: "preempted" });
  };
  for (const [place, id] of taken.entries()) {
    addUpTo(place);
    all.push({ id, is: "taken" });
  }
  addUpTo(taken.length);
  return all;
}

/** The edges that were taken at once when the event came: those after them are automatic, or of events that the machine raised. */
function firstOf(
  index: ChartIndex,
  edges: readonly ChartEdge[],
  event: string,
  before: readonly string[],
): readonly ChartEdge[] {
  const areApart = (one: string, other: string): boolean =>
    !chainOf(index, one).includes(other) && !chainOf(index, other).includes(one);
  const isFirst = ({ source, event: on }: ChartEdge, at: number): boolean =>
    on !== "" &&
    matches(event, on) &&
    before.includes(source) &&
    edges.slice(0, at).every((each) => areApart(source, each.source));
  const end = edges.findIndex((edge, at) => !isFirst(edge, at));
  return end < 0 ? edges : edges.slice(0, end);
}

/** A state and those around it, innermost first. */
function chainOf({ nodes }: ChartIndex, id: string): readonly string[] {
  const chain: string[] = [];
  for (let at: string | undefined = id; at !== undefined; at = nodes.get(at)?.parent) chain.push(at);
  return chain;
}

/** The alternatives before an edge that was taken in the midst of a step. */
function choiceOf({ leaving }: ChartIndex, edge: ChartEdge, is: Judged): Choice {
  const { source, event, learnt } = edge;
  // of a transition that is a function nobody knows what it has tried
  const group = learnt ? [edge] : (leaving.get(source) ?? []).filter((each) => each.event === event);
  return chosen(source, group, edge, is);
}

function chosen(source: string, group: readonly ChartEdge[], edge: ChartEdge, is: Judged): Choice {
  const place = group.indexOf(edge);
  const before = group.slice(0, place).map((each) => ({ edge: each, is: "false" as const }));
  return { source, edges: [...before, { edge, is }], unasked: group.length - place - 1 };
}

/** The way in which XState has selected the edges of an event. */
class Selection {
  readonly #index: ChartIndex;
  readonly #event: string;
  readonly #active: ReadonlySet<string>;
  /** The edge that was selected in each state. */
  readonly #selected: ReadonlyMap<string, { readonly edge: ChartEdge; readonly is: Judged }>;
  readonly #choices: Choice[] = [];
  /** The states that the edges of earlier regions leave. */
  readonly #left = new Set<string>();

  constructor(
    index: ChartIndex,
    event: string,
    active: readonly string[],
    selected: readonly { readonly edge: ChartEdge; readonly is: Judged }[],
  ) {
    this.#index = index;
    this.#event = event;
    this.#active = new Set(active);
    this.#selected = new Map(selected.map((each) => [each.edge.source, each]));
  }

  choices(): readonly Choice[] {
    const { root } = this.#index;
    if (this.#active.has(root)) this.#visit(root);
    return this.#choices;
  }

  /** Returns whether an edge of the state, or of one inside of it, was selected. */
  #visit(id: string): boolean {
    const inside = (this.#index.children.get(id) ?? [])
      .filter((child) => this.#active.has(child.id))
      .map((child) => this.#visit(child.id));
    if (inside.includes(true)) return true;
    const candidates = this.#candidates(id);
    const selected = this.#selected.get(id);
    if (selected) {
      const { edge, is } = selected;
      const leaves = this.#leaves(edge);
      // steps of earlier releases say of each selected edge that it was taken
      const isPreempted = is === "preempted" || leaves.some((left) => this.#left.has(left));
      if (!isPreempted) for (const left of leaves) this.#left.add(left);
      this.#choices.push(chosen(id, candidates, edge, isPreempted ? "preempted" : "taken"));
      return true;
    }
    const guarded = candidates.filter(({ guard }) => guard);
    if (guarded.length > 0)
      this.#choices.push({
        source: id,
        edges: guarded.map((each) => ({ edge: each, is: "false" })),
        unasked: 0,
      });
    return false;
  }

  /** The active states that an edge leaves. */
  #leaves({ source, targets, reenter }: ChartEdge): readonly string[] {
    const around = (id: string): readonly string[] => chainOf(this.#index, id);
    if (targets.length === 0) return [];
    const staysInside = !reenter && targets.every((target) => around(target).includes(source));
    const chains = [...targets, source].map((id) => around(id).slice(1));
    const shared = chains[0]!.find((id) => chains.every((chain) => chain.includes(id)));
    const domain = staysInside ? source : (shared ?? this.#index.root);
    return [...this.#active].filter((id) => id !== domain && around(id).includes(domain));
  }

  #candidates(id: string): readonly ChartEdge[] {
    const edges = (this.#index.leaving.get(id) ?? []).filter(({ event, learnt }) => event !== "" && !learnt);
    const rest = edges.filter(({ event }) => event !== this.#event && matches(this.#event, event));
    return [
      ...edges.filter(({ event }) => event === this.#event),
      ...rest.toSorted((one, other) => other.event.length - one.event.length),
    ];
  }
}

/** True if an event is one that a descriptor such as `*` or `order.*` means. */
export function matches(event: string, descriptor: string): boolean {
  if (descriptor === event || descriptor === "*") return true;
  return descriptor.endsWith(".*") && `${event}.`.startsWith(descriptor.slice(0, -1));
}

/** Returns the extent of the path between two configurations that is covered by recorded edges. Older releases recorded none. */
export function pathCoverage(
  index: ChartIndex,
  before: readonly string[],
  taken: readonly string[],
  after: readonly string[],
): "full" | "partial" | "none" {
  if (before.length === 0 || before.join() === after.join()) return "full";
  const edges = taken.flatMap((id) => index.edges.get(id) ?? []);
  if (edges.length === 0) return "none";
  let at = before;
  for (const { source, targets } of edges) {
    if (!at.includes(source)) return "partial";
    if (targets.length > 0) at = targets.flatMap((target) => entered(index, target));
  }
  return after.every((id) => at.includes(id)) ? "full" : "partial";
}

/** The states that are active after a state was entered: its ancestors and its initial descendants. */
function entered({ nodes }: ChartIndex, target: string): readonly string[] {
  const active: string[] = [];
  for (let id = nodes.get(target)?.parent; id !== undefined; id = nodes.get(id)?.parent) active.unshift(id);
  for (let id: string | undefined = target; id !== undefined; id = nodes.get(id)?.initial) active.push(id);
  return active;
}

/** Formats a guard with its parameters: `listens(preCall)`. */
export function guardText({ guard }: Pick<ChartEdge, "guard">): string {
  if (!guard) return t("else");
  const params = Object.values(guard.params ?? {}).filter((value) => typeof value !== "object");
  return params.length === 0 ? guard.name : `${guard.name}(${params.join(", ")})`;
}

/** Formats an event type: `done callModel`, `error tool.*`, "(always)". */
export function eventText(event: string): string {
  if (event === "") return t("(always)");
  const [, kind, name] = /^xstate\.(done|error)\.actor\.(.*)$/.exec(event) ?? [];
  if (kind !== undefined && name !== undefined) return `${kind} ${name.replace(/^\d+\./, "")}`;
  return event.replace(/^xstate\./, "");
}
