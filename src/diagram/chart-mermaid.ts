import type { AnyStateMachine } from "xstate";
import { chartJson, type ChartEdge, type ChartName, type ChartNode } from "./chart-json.ts";

/**
 * The chart of a machine as a Mermaid `stateDiagram-v2`: states within states, edges labelled `event [guard]`, in the
 * order of the machine file. What happens without leaving a state without children stands inside it. The root is a box
 * of its own, because its transitions hold in every state.
 */
export function chartMermaid(machine: AnyStateMachine): string {
  const { nodes, edges } = chartJson(machine);
  const [root, ...states] = nodes as [ChartNode, ...ChartNode[]];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parentOf = (id: string): ChartNode | undefined => byId.get(byId.get(id)?.parent ?? "");
  const aliasOf = (id: string): string => {
    const parent = parentOf(id);
    const own = wordOf(byId.get(id)?.key ?? id);
    return parent ? `${aliasOf(parent.id)}_${own}` : own;
  };

  const labelOf = (edge: ChartEdge): string => {
    const isLast = !edge.guard && edges.some((other) => other !== edge && isAlternative(edge, other));
    const condition = edge.guard ? `[${callOf(edge.guard)}]` : isLast ? "[else]" : "";
    const label = [eventOf(edge), condition].filter((part) => part !== "").join(" ");
    return label === "" ? "" : ` : ${plain(label)}`;
  };
  const boxOf = (node: ChartNode, title: string): string => `state "${plain(title)}" as ${aliasOf(node.id)}`;
  const staysOf = (node: ChartNode): readonly string[] =>
    edges
      .filter(({ source, targets }) => source === node.id && targets.length === 0)
      .map((edge) => aliasOf(node.id) + labelOf(edge));
  const arrowsOf = (edge: ChartEdge): readonly string[] => {
    const targets = edge.targets.length > 0 ? edge.targets : [edge.source];
    return targets.map((target) => `${aliasOf(edge.source)} --> ${aliasOf(target)}${labelOf(edge)}`);
  };

  // Mermaid puts a state into the box where an edge names it first, so an edge between boxes comes after all of them.
  const [crossing, inside] = partition(
    edges.filter(({ source, targets }) => targets.length > 0 || hasBody(byId.get(source))),
    ({ source, targets }) => targets.some((target) => parentOf(target) !== parentOf(source)),
  );
  const bodyOf = (node: ChartNode): readonly string[] =>
    hasBody(node)
      ? [`${boxOf(node, node.key)} {`, ...indent(contentsOf(node)), "}"]
      : [
          boxOf(node, node.key),
          ...staysOf(node),
          ...(node.type === "final" ? [`${aliasOf(node.id)} --> [*]`] : []),
        ];
  const contentsOf = (parent: ChartNode): readonly string[] => [
    ...(parent.initial === undefined ? [] : [`[*] --> ${aliasOf(parent.initial)}`]),
    ...states
      .filter((node) => node.parent === parent.id)
      .flatMap((node, index) => [
        ...(parent.type === "parallel" && index > 0 ? ["--"] : []),
        ...bodyOf(node),
      ]),
    ...inside.filter(({ source }) => parentOf(source) === parent).flatMap(arrowsOf),
  ];

  const lines = [
    boxOf(root, `${root.key} (in every state)`),
    ...staysOf(root),
    ...contentsOf(root),
    ...crossing.flatMap(arrowsOf),
  ];
  return ["stateDiagram-v2", ...indent(lines), ""].join("\n");
}

/** True if the node is drawn as a box with states in it. The root is not. */
function hasBody(node: ChartNode | undefined): boolean {
  return node?.parent !== undefined && (node.type === "compound" || node.type === "parallel");
}

/** True for transitions of which the machine takes the first whose guard holds. */
function isAlternative(one: ChartEdge, other: ChartEdge): boolean {
  return one.source === other.source && one.event === other.event;
}

/** "done callModel" for "xstate.done.actor.callModel", "done" for the end of the own children, "after 1000". */
function eventOf({ kind, event }: ChartEdge): string {
  if (kind === "event" || kind === "always") return event;
  const [, , what = "", ...rest] = event.split(".");
  const subject = kind === "after" ? what : what === "actor" ? rest.join(".") : "";
  return `${kind} ${subject}`.trimEnd();
}

function callOf({ name, params = {} }: ChartName): string {
  const values = Object.values(params).map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  return values.length > 0 ? `${name}(${values.join(", ")})` : name;
}

/** Mermaid reads these characters as its own. */
function plain(text: string): string {
  return text.replace(/[#;:"\n]/g, (character) => `#${character.codePointAt(0)};`);
}

/** A state's key as a part of a Mermaid id; no two keys give the same. */
function wordOf(key: string): string {
  return key.replace(/[^A-Za-z0-9]/g, (character) => `_${character.codePointAt(0)}_`);
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

function partition<T>(
  items: readonly T[],
  test: (item: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
