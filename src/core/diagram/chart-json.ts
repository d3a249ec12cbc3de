// src/core/diagram turns a state machine into plain data, and draws it: JSON, Mermaid, SVG, and layouts for the inspector.
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import { isObject, type JsonObject } from "../base/json.ts";

/** A guard or an action: its name in the machine, and its parameters where they are plain data. */
export type ChartName = {
  readonly name: string;
  readonly params?: JsonObject | undefined;
  /** Of a guard that is judged behind actions of its transition: the names of those that change the context. */
  readonly after?: readonly string[] | undefined;
};

/** A state of a {@link Chart}. */
export type ChartNode = {
  /** Unique in the chart: "agent.reasoning.calling". */
  readonly id: string;
  /** The state's own key: "calling". */
  readonly key: string;
  /** The id of the parent state; absent for the root only. */
  readonly parent?: string | undefined;
  /** The XState type of the state. */
  readonly type: "atomic" | "compound" | "parallel" | "final" | "history";
  /** The `description` of the state in the machine. */
  readonly description?: string | undefined;
  /** The `tags` of the state in the machine. */
  readonly tags: readonly string[];
  /** The id of the initial child; present for compound states only. */
  readonly initial?: string | undefined;
  /** Entry actions, in order. */
  readonly entry: readonly ChartName[];
  /** Exit actions, in order. */
  readonly exit: readonly ChartName[];
  /** The services that run while the state is active, by the names of their slots. */
  readonly invoke: readonly string[];
};

/** A transition of a {@link Chart}. */
export type ChartEdge = {
  /** Unique and stable: `source|event|index among the source's transitions for that event`. */
  readonly id: string;
  /** The id of the source state. */
  readonly source: string;
  /** The ids of the target states; empty for a transition that only runs actions. */
  readonly targets: readonly string[];
  /** The trigger of the transition: an event, nothing (`always`), the end or the failure of a child, or a delay. */
  readonly kind: "event" | "always" | "done" | "error" | "after";
  /** The event type as XState names it; "" for `always`. */
  readonly event: string;
  /** The guard; absent for a transition that is always enabled. */
  readonly guard?: ChartName | undefined;
  /** The actions of the transition, in order. */
  readonly actions: readonly ChartName[];
  /** True if the source is exited and entered again although the target lies within it. */
  readonly reenter: boolean;
  /** The name of the refusal with which a command is answered. */
  readonly refuse?: string | undefined;
  /** True if the machine does not tell the target, since a function decides it: it was seen in a run. The guard is named "learnt". */
  readonly learnt?: true | undefined;
};

/** True for a decision: a choice that takes no time, so that no session is ever seen in it. */
export function isDecision({ tags }: Pick<ChartNode, "tags">): boolean {
  return tags.includes("decision");
}

/**
 * A statechart as plain data: every state and every transition once, in the order of the machine's
 * configuration.
 */
export type Chart = {
  /** The id of the machine. */
  readonly id: string;
  /** Parents before their children; the first node is the root. */
  readonly nodes: readonly ChartNode[];
  /** The transitions, in document order. */
  readonly edges: readonly ChartEdge[];
};

/**
 * Returns the chart of an XState 5 machine as plain data. Guards that are tried in order keep that order.
 *
 * It reads the live state nodes, because `machine.definition` and its JSON lack `always` transitions.
 *
 * @example
 * ```ts
 * import { agentMachine, chartJson } from "agentchart/machines";
 *
 * const { nodes, edges } = chartJson(agentMachine);
 * console.log(`${nodes.length} states, ${edges.length} transitions`);
 * ```
 */
export function chartJson(machine: AnyStateMachine): Chart {
  const states = withDescendants(machine.root);
  return { id: machine.id, nodes: states.map(nodeOf), edges: states.flatMap(edgesFrom) };
}

function withDescendants(state: AnyStateNode): AnyStateNode[] {
  return [state, ...Object.values<AnyStateNode>(state.states).flatMap(withDescendants)];
}

function nodeOf(state: AnyStateNode): ChartNode {
  const { id, key, type, parent, description, tags, entry, exit, invoke } = state;
  const initial = type === "compound" ? state.initial.target[0]?.id : undefined;
  return {
    id,
    key,
    ...(parent && { parent: parent.id }),
    type,
    ...(description !== undefined && { description }),
    tags,
    ...(initial !== undefined && { initial }),
    entry: listOf(entry).map(nameOf),
    exit: listOf(exit).map(nameOf),
    invoke: invoke.map(({ src }) => nameOf(src).name),
  };
}

/** Returns the transitions of an XState 5 machine with the ids of their edges in its {@link chartJson}. */
export function edgeIdsOf(machine: AnyStateMachine): ReadonlyMap<AnyTransitionDefinition, string> {
  const groups = withDescendants(machine.root).flatMap((state) =>
    transitionsOf(state).map((group) => ({ state, group })),
  );
  return new Map(
    groups.flatMap(({ state, group }) =>
      group.map((edge, index) => [edge, edgeId(state, edge, index)] as const),
    ),
  );
}

const edgeId = ({ id }: AnyStateNode, { eventType }: AnyTransitionDefinition, index: number): string =>
  `${id}|${eventType}|${index}`;

/** The transitions of a state, a list for each event that has any. */
const transitionsOf = (state: AnyStateNode): readonly (readonly AnyTransitionDefinition[])[] => [
  ...state.transitions.values(),
  state.always ?? [],
];

function edgesFrom(state: AnyStateNode): ChartEdge[] {
  return transitionsOf(state).flatMap((group) => group.map((edge, index) => edgeOf(state, edge, index)));
}

function edgeOf(state: AnyStateNode, edge: AnyTransitionDefinition, index: number): ChartEdge {
  const { eventType, target = [], guard, actions, reenter, meta } = edge;
  // in XState 6 a transition can be a function, which decides by itself
  const judged = guard ?? ("to" in edge && edge.to ? "function" : undefined);
  return {
    id: edgeId(state, edge, index),
    source: state.id,
    targets: target.map(({ id }) => id),
    kind: kindOf(eventType),
    event: eventType,
    ...(judged !== undefined && { guard: nameOf(judged) }),
    actions: listOf(actions).map(nameOf),
    reenter,
    ...refusalOf(meta),
  };
}

/** A machine that is made of a chart of ours says in the `meta` of a forbidden transition which refusal it stands for. */
function refusalOf(meta: unknown): Pick<ChartEdge, "refuse"> {
  const { refuse } = (meta ?? {}) as { readonly refuse?: unknown };
  return typeof refuse === "string" ? { refuse } : {};
}

function kindOf(event: string): ChartEdge["kind"] {
  if (event === "") return "always";
  return (["done", "error", "after"] as const).find((kind) => event.startsWith(`xstate.${kind}.`)) ?? "event";
}

/** Lists actions: a machine of XState 6 has a function or nothing in their place. */
const listOf = (actions: unknown): readonly unknown[] => [actions ?? []].flat();

/** Names a guard, an action or a service, which a machine gives as a name, a name with parameters, or code. */
function nameOf(reference: unknown): ChartName {
  if (typeof reference === "string") return { name: reference };
  const { type, params, name } = reference as { readonly [field: string]: unknown };
  if (typeof type !== "string") return { name: typeof name === "string" && name !== "" ? name : "inline" };
  if (!isObject(params) || !hasJson(params)) return { name: type };
  const { afterActions, ...own } = params;
  if (!Array.isArray(afterActions)) return { name: type, params };
  const after = afterActions.map((action) => nameOf(action).name);
  return { name: type, ...(Object.keys(own).length > 0 && { params: own }), after };
}

function hasJson(params: JsonObject): boolean {
  try {
    return JSON.stringify(params) !== undefined;
  } catch {
    return false; // it contains itself or a bigint
  }
}
