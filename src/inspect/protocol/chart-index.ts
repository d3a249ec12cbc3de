import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import { chartHash } from "../../diagram/chart-hash.ts";
import { chartJson, type Chart, type ChartName } from "../../diagram/chart-json.ts";

const NONE: readonly string[] = [];

/** A machine's chart, with a way from the machine's own objects to their ids in it. */
export class ChartIndex {
  readonly hash: string;
  readonly chart: Chart;
  readonly #edges = new Map<AnyTransitionDefinition, string>();
  readonly #nodes: ReadonlyMap<
    string,
    { readonly entry: readonly ChartName[]; readonly exit: readonly ChartName[] }
  >;
  readonly #actions: ReadonlyMap<string, readonly ChartName[]>;

  constructor(machine: AnyStateMachine) {
    this.chart = chartJson(machine);
    this.hash = chartHash(machine);
    this.#nodes = new Map(this.chart.nodes.map((node) => [node.id, node]));
    this.#actions = new Map(this.chart.edges.map(({ id, actions }) => [id, actions]));
    this.#take(machine.root);
  }

  /** The ids of transitions, by the very objects of this machine. */
  edgesOf(transitions: readonly AnyTransitionDefinition[]): readonly string[] {
    const [first, ...others] = transitions;
    if (!first) return NONE;
    const edge = this.#edges.get(first);
    const edges = edge === undefined ? NONE : [edge];
    return others.length === 0 ? edges : [...edges, ...this.edgesOf(others)];
  }

  /** What ran in a step, by name: on leaving, on the way, on entering. */
  actionsOf(
    transitions: readonly AnyTransitionDefinition[],
    before: readonly string[],
    after: readonly string[],
  ): readonly string[] {
    const isInside = (id: string): boolean => transitions.some((each) => isLeft(each, id));
    const left = before.filter(isInside).toReversed();
    const entered = after.filter(isInside);
    const names = [
      ...left.flatMap((id) => this.#nodes.get(id)?.exit ?? []),
      ...this.edgesOf(transitions).flatMap((id) => this.#actions.get(id) ?? []),
      ...entered.flatMap((id) => this.#nodes.get(id)?.entry ?? []),
    ];
    return names.map(({ name }) => name);
  }

  #take(state: AnyStateNode): void {
    for (const group of [...state.transitions.values(), state.always ?? []])
      for (const [index, transition] of group.entries())
        this.#edges.set(transition, `${state.id}|${transition.eventType}|${index}`);
    for (const child of Object.values<AnyStateNode>(state.states)) this.#take(child);
  }
}

/** The ids of active states, outermost first. */
export function activeIds(nodes: AnyMachineSnapshot["_nodes"]): readonly string[] {
  return nodes.toSorted((a, b) => a.order - b.order).map(({ id }) => id);
}

/** True for a state that a transition leaves, or enters: everything below the closest common ancestor of its ends. */
function isLeft({ source, target, reenter }: AnyTransitionDefinition, id: string): boolean {
  if (!target || target.length === 0) return false;
  const ends = target.map((each) => each.id);
  const isWithin = (end: string): boolean => end === source.id || end.startsWith(`${source.id}.`);
  if (!reenter && ends.every(isWithin)) return id.startsWith(`${source.id}.`);
  let domain = source.parent;
  while (domain && !ends.every((end) => end.startsWith(`${domain!.id}.`))) domain = domain.parent;
  return domain ? id.startsWith(`${domain.id}.`) : true;
}

const known = new WeakMap<AnyStateMachine, ChartIndex>();

/** The index of a machine, made once. */
export function chartIndexOf(machine: AnyStateMachine): ChartIndex {
  let index = known.get(machine);
  if (!index) known.set(machine, (index = new ChartIndex(machine)));
  return index;
}
