import type { JsonObject } from "../../src/base/json.ts";
import type { Chart, ChartEdge, ChartName, ChartNode } from "../../src/diagram/chart-json.ts";
import type { Named, Node, Transition } from "./nodes.ts";
import type { Resolver } from "./resolve.ts";

const nameOf = ({ name, params }: Named): ChartName => ({ name, ...(params && { params }) });

/** A chart as the data that drawings, state tables, journals and the inspector read: every node and every edge once. */
export function drawingOf<Context extends object>({ chart, nodes }: Resolver<Context>): Chart {
  const all = [...nodes.values()];
  return { id: chart.id, nodes: all.map(nodeOf), edges: all.flatMap(edgesFrom) };
}

function nodeOf<Context>(node: Node<Context>): ChartNode {
  const { id, key, parent, kind, description, initial, entry, exit, services, children } = node;
  const isDecision = kind === "decision";
  return {
    id,
    key,
    ...(parent && { parent: parent.id }),
    type: children.length > 0 ? "compound" : "atomic",
    description,
    tags: isDecision ? ["decision"] : [],
    ...(initial !== undefined && { initial }),
    entry: entry.map(nameOf),
    exit: exit.map(nameOf),
    invoke: services.map(({ src }) => src),
  };
}

function edgesFrom<Context>(node: Node<Context>): readonly ChartEdge[] {
  const events = [...node.on].flatMap(([event, transitions]) =>
    transitions.flatMap((transition) => edges(node.id, event, transition)),
  );
  return [...events, ...node.decide.flatMap((transition) => edges(node.id, "", transition))];
}

/** The edges of a transition: itself, or its branches with the guards and actions that come before them. */
function edges(
  source: string,
  event: string,
  transition: Transition,
  guards: readonly Named[] = [],
  actions: readonly Named[] = [],
): readonly ChartEdge[] {
  const conditions = transition.guard ? [...guards, transition.guard] : guards;
  const all = [...actions, ...transition.actions];
  if (transition.choose.length > 0)
    return transition.choose.flatMap((branch) => edges(source, event, branch, conditions, all));
  return [
    {
      id: transition.edge,
      source,
      targets: transition.target === undefined ? [] : [transition.target],
      kind: kindOf(event),
      event,
      ...(conditions.length > 0 && { guard: both(conditions) }),
      actions: all.map(nameOf),
      reenter: transition.reenter,
      ...(transition.refuse !== undefined && { refuse: transition.refuse }),
    },
  ];
}

function both(guards: readonly Named[]): ChartName {
  const [first] = guards;
  if (guards.length === 1) return nameOf(first!);
  const params = guards.flatMap((guard) => guard.params ?? []);
  return {
    name: guards.map(({ name }) => name).join(" && "),
    ...(params.length > 0 && { params: Object.assign({}, ...params) as JsonObject }),
  };
}

function kindOf(event: string): ChartEdge["kind"] {
  if (event === "") return "always";
  return (["done", "error"] as const).find((kind) => event.startsWith(`xstate.${kind}.`)) ?? "event";
}
