import type { AnyStateMachine, AnyTransitionDefinition } from "xstate";
import type { JsonObject } from "../../core/base/json.ts";
import { chartHash } from "../../core/diagram/chart-hash.ts";
import { chartJson, edgeIdsOf, type Chart, type ChartName } from "../../core/diagram/chart-json.ts";
import type { ChartVersion } from "../protocol/chart-version.ts";
import { ACTOR_STATUSES, type ActorStatus } from "../protocol/actor-info.ts";
import { foreignJson, PAYLOAD_LIMITS } from "./foreign-value.ts";

/** The chart of an actor, and how what XState tells of it is found there. */
export type ActorChart = ChartVersion & {
  /** The id of a transition's edge; undefined for one that the chart does not have. */
  edgeOf(transition: object): string | undefined;
  /** The ids of the active states of a snapshot, outermost first. */
  statesOf(snapshot: ActorSnapshot): readonly string[];
};

/** The part of a snapshot that is read. */
export type ActorSnapshot = {
  readonly status?: unknown;
  readonly value?: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly children?: unknown;
};

/** A state says at most this of itself, in characters. */
const MAX_DESCRIPTION = 1_000;

const known = new WeakMap<object, ActorChart>();

/** Returns the chart of a machine, which is made once for each. */
export function machineChart(machine: AnyStateMachine): ActorChart {
  const before = known.get(machine);
  if (before) return before;
  const chart = bounded(chartJson(machine));
  const edges: ReadonlyMap<object, string> = edgeIdsOf(machine);
  const made: ActorChart = {
    chart,
    hash: chartHash(chart),
    edgeOf: (transition) => edges.get(transition as AnyTransitionDefinition),
    statesOf: ({ value }) => activeStates(machine, value),
  };
  known.set(machine, made);
  return made;
}

/** The chart without secrets, and of bounded size. */
function bounded({ id, nodes, edges }: Chart): Chart {
  const name = ({ params, ...rest }: ChartName): ChartName => ({
    ...rest,
    ...(params && { params: foreignJson(params, PAYLOAD_LIMITS) as JsonObject }),
  });
  return {
    id,
    nodes: nodes.map(({ description, ...node }) => ({
      ...node,
      ...(typeof description === "string" && { description: description.slice(0, MAX_DESCRIPTION) }),
      tags: node.tags.map(String),
      entry: node.entry.map(name),
      exit: node.exit.map(name),
    })),
    edges: edges.map(({ guard, ...edge }) => ({
      ...edge,
      ...(guard && { guard: name(guard) }),
      actions: edge.actions.map(name),
    })),
  };
}

/** Returns the ids of the states of a machine that the value of a snapshot says are active, outermost first. */
export function activeStates({ root }: AnyStateMachine, value: unknown): readonly string[] {
  const ids = [root.id];
  const add = (states: AnyStateMachine["root"]["states"], inner: unknown): void => {
    const entries = typeof inner === "string" ? [[inner, undefined] as const] : Object.entries(inner ?? {});
    for (const [key, below] of entries) {
      const state = Object.hasOwn(states, key) ? states[key] : undefined;
      if (!state) continue;
      ids.push(state.id);
      add(state.states, below);
    }
  };
  add(root.states, value);
  return ids;
}

/** Returns the status that a snapshot says. */
export function statusOf({ status }: ActorSnapshot): ActorStatus {
  return ACTOR_STATUSES.find((each) => each === status) ?? "active";
}

/** Returns the chart of an actor that is no machine: it is active until it is done, fails or is stopped. */
export function statusChart(kind: string): ActorChart {
  const leaf = { tags: [], entry: [], exit: [], invoke: [] } as const;
  const idOf = (status: ActorStatus): string => `${kind}.${status}`;
  const chart: Chart = {
    id: kind,
    nodes: [
      { id: kind, key: kind, type: "compound", initial: idOf("active"), ...leaf },
      ...ACTOR_STATUSES.map((status) => ({
        id: idOf(status),
        key: status,
        parent: kind,
        type: status === "active" ? ("atomic" as const) : ("final" as const),
        ...leaf,
      })),
    ],
    edges: ACTOR_STATUSES.slice(1).map((status) => ({
      id: `${idOf("active")}|${status}|0`,
      source: idOf("active"),
      targets: [idOf(status)],
      kind: "event" as const,
      event: status,
      actions: [],
      reenter: false,
    })),
  };
  return {
    chart,
    hash: chartHash(chart),
    edgeOf: () => undefined,
    statesOf: (snapshot) => [kind, idOf(statusOf(snapshot))],
  };
}
