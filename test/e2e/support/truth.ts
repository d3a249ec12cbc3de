import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import type { Agent } from "agentchart";

/** What the machine itself did in a step. */
export type Truth = {
  readonly states: readonly string[];
  readonly edges: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
};

/** Notes every step of an agent by the machine's own objects, beside what the inspector sees. The first is where it stood. */
export function truthOf(agent: Agent): Truth[] {
  const { actor } = agent;
  const edges = edgesOf((actor as unknown as { readonly logic: AnyStateMachine }).logic.root);
  const truth: Truth[] = [];
  const note = (
    { _nodes, context }: AnyMachineSnapshot,
    transitions: readonly AnyTransitionDefinition[],
  ): void => {
    const states = _nodes.toSorted((a, b) => a.order - b.order).map(({ id }) => id);
    truth.push({ states, edges: transitions.map((transition) => edges.get(transition)!), context });
  };
  note(actor.getSnapshot() as AnyMachineSnapshot, []);
  actor.system.inspect({
    next(event) {
      if (event.type === "@xstate.microstep" && event.actorRef.sessionId === actor.sessionId) {
        note(event.snapshot as AnyMachineSnapshot, event._transitions);
      }
    },
  });
  return truth;
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
