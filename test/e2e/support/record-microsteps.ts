import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import type { Agent } from "agentchart";

/** The machine after one microstep: the expected value for what the inspector shows of that step. */
export type Microstep = {
  /** Ids of the active states, in document order. */
  readonly states: readonly string[];
  /** Ids of the transitions that were taken, as in the chart. */
  readonly edges: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
};

/** Records the microsteps of an agent from XState's own objects, independently of the inspector; the first one is the current state. */
export function recordMicrosteps(agent: Agent): Microstep[] {
  const { actor } = agent;
  const edges = edgesOf((actor as unknown as { readonly logic: AnyStateMachine }).logic.root);
  const microsteps: Microstep[] = [];
  const record = (
    { _nodes, context }: AnyMachineSnapshot,
    transitions: readonly AnyTransitionDefinition[],
  ): void => {
    const states = _nodes.toSorted((a, b) => a.order - b.order).map(({ id }) => id);
    microsteps.push({ states, edges: transitions.map((transition) => edges.get(transition)!), context });
  };
  record(actor.getSnapshot() as AnyMachineSnapshot, []);
  actor.system.inspect({
    next(event) {
      if (event.type === "@xstate.microstep" && event.actorRef.sessionId === actor.sessionId) {
        record(event.snapshot as AnyMachineSnapshot, event._transitions);
      }
    },
  });
  return microsteps;
}

function edgesOf(state: AnyStateNode): Map<AnyTransitionDefinition, string> {
  const own = [...state.transitions.values(), state.always ?? []].flatMap((group) =>
    group.map((transition, index): [AnyTransitionDefinition, string] => [
      transition,
      `${state.id}|${transition.eventType}|${index}`,
    ]),
  );
  const inner = Object.values<AnyStateNode>(state.states).flatMap((child) => [...edgesOf(child)]);
  return new Map([...own, ...inner]);
}
