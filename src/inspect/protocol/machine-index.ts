import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import { chartHash } from "../../diagram/chart-hash.ts";
import { chartJson, type Chart, type ChartName } from "../../diagram/chart-json.ts";

const NONE: readonly string[] = [];

/** The chart of a machine, with lookups from the machine's own objects to their ids in the chart. */
export class MachineIndex {
  /** The hash of the chart, see `chartHash`. */
  readonly hash: string;
  /** The chart of the machine. */
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
    this.#indexTransitions(machine.root);
  }

  /** The edge ids of transitions, which must be the objects of this machine. */
  edgesOf(transitions: readonly AnyTransitionDefinition[]): readonly string[] {
    const [first, ...others] = transitions;
    if (!first) return NONE;
    const edge = this.#edges.get(first);
    const edges = edge === undefined ? NONE : [edge];
    return others.length === 0 ? edges : [...edges, ...this.edgesOf(others)];
  }

  /** The names of the actions of a step, in order: exit, transition, entry. */
  actionsOf(
    transitions: readonly AnyTransitionDefinition[],
    before: readonly string[],
    after: readonly string[],
  ): readonly string[] {
    const isInside = (id: string): boolean => transitions.some((each) => exitsOrEnters(each, id));
    const exited = before.filter(isInside).toReversed();
    const entered = after.filter(isInside);
    const names = [
      ...exited.flatMap((id) => this.#nodes.get(id)?.exit ?? []),
      ...this.edgesOf(transitions).flatMap((id) => this.#actions.get(id) ?? []),
      ...entered.flatMap((id) => this.#nodes.get(id)?.entry ?? []),
    ];
    return names.map(({ name }) => name);
  }

  #indexTransitions(state: AnyStateNode): void {
    for (const group of [...state.transitions.values(), state.always ?? []])
      for (const [index, transition] of group.entries())
        this.#edges.set(transition, `${state.id}|${transition.eventType}|${index}`);
    for (const child of Object.values<AnyStateNode>(state.states)) this.#indexTransitions(child);
  }
}

/** The ids of active states, outermost first. */
export function activeIds(nodes: AnyMachineSnapshot["_nodes"]): readonly string[] {
  return nodes.toSorted((a, b) => a.order - b.order).map(({ id }) => id);
}

/**
 * True if the transition exits or enters the state: if the state lies below the closest common ancestor of the
 * transition's ends.
 */
function exitsOrEnters({ source, target, reenter }: AnyTransitionDefinition, id: string): boolean {
  if (!target || target.length === 0) return false;
  const ends = target.map((each) => each.id);
  const isWithin = (end: string): boolean => end === source.id || end.startsWith(`${source.id}.`);
  if (!reenter && ends.every(isWithin)) return id.startsWith(`${source.id}.`);
  let domain = source.parent;
  while (domain && !ends.every((end) => end.startsWith(`${domain!.id}.`))) domain = domain.parent;
  return domain ? id.startsWith(`${domain.id}.`) : true;
}

const indexes = new WeakMap<AnyStateMachine, MachineIndex>();

/** Returns the index of a machine, which is created once. */
export function machineIndexOf(machine: AnyStateMachine): MachineIndex {
  let index = indexes.get(machine);
  if (!index) indexes.set(machine, (index = new MachineIndex(machine)));
  return index;
}
