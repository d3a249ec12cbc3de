import type { AnyMachineSnapshot } from "xstate";
import type { Agent } from "agentchart";
import { stepsOf } from "../../../src/agent/steps.ts";

/** The machine after one event and the decisions that followed it: the expected value for what the inspector shows of that step. */
export type Microstep = {
  /** Ids of the active states, in document order. */
  readonly states: readonly string[];
  /** Ids of the edges that were taken, as in the chart. */
  readonly edges: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
};

/** Records the steps of an agent independently of the inspector: states and context from XState's own snapshots, edges from
 *  the chart. The first one is the current state. */
export function recordMicrosteps(agent: Agent): Microstep[] {
  const { actor } = agent;
  const microsteps: Microstep[] = [];
  let edges: readonly string[] = [];
  const record = ({ _nodes, context }: AnyMachineSnapshot): void => {
    const states = _nodes.toSorted((a, b) => a.order - b.order).map(({ id }) => id);
    microsteps.push({ states, edges, context });
    edges = [];
  };
  record(actor.getSnapshot() as AnyMachineSnapshot);
  stepsOf(agent).subscribe((step) => (edges = step.edges));
  actor.system.inspect({
    next(event) {
      if (event.type === "@xstate.snapshot" && event.actorRef.sessionId === actor.sessionId)
        record(event.snapshot as AnyMachineSnapshot);
    },
  });
  return microsteps;
}
