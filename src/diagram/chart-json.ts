import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import type { JsonObject } from "../base/json.ts";

/** A guard or an action as the machine names it, with the parameters that are plain data. */
export type ChartName = { readonly name: string; readonly params?: JsonObject };

export type ChartNode = {
  /** Unique in the chart: "agent.reasoning.calling". */
  readonly id: string;
  readonly key: string;
  /** Absent for the root only. */
  readonly parent?: string;
  readonly type: "atomic" | "compound" | "parallel" | "final" | "history";
  readonly description?: string;
  readonly tags: readonly string[];
  /** The child that is entered first. */
  readonly initial?: string;
  readonly entry: readonly ChartName[];
  readonly exit: readonly ChartName[];
  /** The services that run while the state is active, by the name of their slot. */
  readonly invoke: readonly string[];
};

export type ChartEdge = {
  /** Unique and stable: `source|event|number among the source's transitions of that event`. */
  readonly id: string;
  readonly source: string;
  /** Empty: the state stays, only the actions happen. */
  readonly targets: readonly string[];
  readonly kind: "event" | "always" | "done" | "error" | "after";
  /** As XState names it; "" for `always`. */
  readonly event: string;
  readonly guard?: ChartName;
  readonly actions: readonly ChartName[];
  /** True if the source is left and entered again although the target lies within it. */
  readonly reenter: boolean;
};

/** A statechart as plain data: every state once, every transition once, in the order of the machine file. */
export type Chart = {
  readonly id: string;
  readonly nodes: readonly ChartNode[];
  readonly edges: readonly ChartEdge[];
};

/**
 * The chart of any XState 5 machine. Read from the live state nodes, because `machine.definition` and its JSON lack
 * `always` transitions. Guards that are tried in order keep that order.
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
    entry: entry.map(nameOf),
    exit: exit.map(nameOf),
    invoke: invoke.map(({ src }) => nameOf(src).name),
  };
}

function edgesFrom(state: AnyStateNode): ChartEdge[] {
  const groups: readonly (readonly AnyTransitionDefinition[])[] = [
    ...state.transitions.values(),
    state.always ?? [],
  ];
  return groups.flatMap((group) =>
    group.map(({ eventType, target = [], guard, actions, reenter }, index) => ({
      id: `${state.id}|${eventType}|${index}`,
      source: state.id,
      targets: target.map(({ id }) => id),
      kind: kindOf(eventType),
      event: eventType,
      ...(guard !== undefined && { guard: nameOf(guard) }),
      actions: actions.map(nameOf),
      reenter,
    })),
  );
}

function kindOf(event: string): ChartEdge["kind"] {
  if (event === "") return "always";
  return (["done", "error", "after"] as const).find((kind) => event.startsWith(`xstate.${kind}.`)) ?? "event";
}

/** What the machine says for a guard, an action or a service: a name, a name with parameters, or code. */
function nameOf(said: unknown): ChartName {
  if (typeof said === "string") return { name: said };
  const { type, params, name } = said as { readonly [field: string]: unknown };
  if (typeof type !== "string") return { name: typeof name === "string" && name !== "" ? name : "inline" };
  return {
    name: type,
    ...(typeof params === "object" && params !== null && { params: params as JsonObject }),
  };
}
