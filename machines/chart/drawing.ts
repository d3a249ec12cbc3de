import type { JsonObject } from "../../src/base/json.ts";
import type { Chart, ChartEdge, ChartName, ChartNode } from "../../src/diagram/chart-json.ts";
import type { Named, Node, Way } from "./nodes.ts";
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
  const events = [...node.on].flatMap(([event, ways]) => ways.flatMap((way) => edges(node.id, event, way)));
  return [...events, ...node.decide.flatMap((way) => edges(node.id, "", way))];
}

/** The edges of a way: itself, or its branches with the guards and actions that come before them. */
function edges(
  source: string,
  event: string,
  way: Way,
  guards: readonly Named[] = [],
  actions: readonly Named[] = [],
): readonly ChartEdge[] {
  const conditions = way.guard ? [...guards, way.guard] : guards;
  const all = [...actions, ...way.actions];
  if (way.choose.length > 0)
    return way.choose.flatMap((branch) => edges(source, event, branch, conditions, all));
  return [
    {
      id: way.edge,
      source,
      targets: way.target === undefined ? [] : [way.target],
      kind: kindOf(event),
      event,
      ...(conditions.length > 0 && { guard: both(conditions) }),
      actions: all.map(nameOf),
      reenter: way.reenter,
      ...(way.refuse !== undefined && { refuse: way.refuse }),
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
