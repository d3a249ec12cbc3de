import type { AnyStateMachine } from "xstate";
import { chartJson, isDecision, type ChartEdge, type ChartNode } from "./chart-json.ts";
import { callText, isAlternative } from "./chart-text.ts";

/**
 * Returns the chart of a machine as a Mermaid `stateDiagram-v2`. It has nested states, and edges labelled `event [guard]` in the order of
 * the machine's configuration. A transition without a target is a line of text in its state. The root is a box beside the others, because
 * its transitions apply in every state.
 *
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises";
 * import { agentMachine, chartMermaid } from "agentchart/machines";
 *
 * await writeFile("agent.mmd", chartMermaid(agentMachine));
 * ```
 */
export function chartMermaid(machine: AnyStateMachine): string {
  const { nodes, edges } = chartJson(machine);
  const [root, ...states] = nodes as [ChartNode, ...ChartNode[]];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parentOf = (id: string): ChartNode | undefined => byId.get(byId.get(id)?.parent ?? "");
  const aliasOf = (id: string): string => {
    const parent = parentOf(id);
    const own = idPart(byId.get(id)?.key ?? id);
    return parent ? `${aliasOf(parent.id)}_${own}` : own;
  };

  const labelOf = (edge: ChartEdge): string => {
    const isLast = !edge.guard && edges.some((other) => isAlternative(edge, other));
    const condition = edge.guard ? `[${callText(edge.guard)}]` : isLast ? "[else]" : "";
    const label = [eventOf(edge), condition].filter((part) => part !== "").join(" ");
    return label === "" ? "" : ` : ${escaped(label)}`;
  };
  const boxOf = (node: ChartNode, title: string): string =>
    `state "${escaped(title)}" as ${aliasOf(node.id)}`;
  const internalLines = (node: ChartNode): readonly string[] =>
    edges
      .filter(({ source, targets }) => source === node.id && targets.length === 0)
      .map((edge) => aliasOf(node.id) + labelOf(edge));
  const arrowsOf = (edge: ChartEdge): readonly string[] => {
    const targets = edge.targets.length > 0 ? edge.targets : [edge.source];
    return targets.map((target) => `${aliasOf(edge.source)} --> ${aliasOf(target)}${labelOf(edge)}`);
  };

  // Mermaid puts a state into the box in which an edge first names it, so edges between boxes come after all
  // boxes.
  const { crossing = [], inside = [] } = Object.groupBy(
    edges.filter(({ source, targets }) => targets.length > 0 || isBox(byId.get(source))),
    ({ source, targets }) =>
      targets.some((target) => parentOf(target) !== parentOf(source)) ? "crossing" : "inside",
  );
  const linesOf = (node: ChartNode): readonly string[] =>
    isBox(node)
      ? [`${boxOf(node, node.key)} {`, ...indent(childLines(node)), "}"]
      : [
          boxOf(node, isDecision(node) ? `◇ ${node.key}` : node.key),
          ...internalLines(node),
          ...(node.type === "final" ? [`${aliasOf(node.id)} --> [*]`] : []),
        ];
  const childLines = (parent: ChartNode): readonly string[] => [
    ...(parent.initial === undefined ? [] : [`[*] --> ${aliasOf(parent.initial)}`]),
    ...states
      .filter((node) => node.parent === parent.id)
      .flatMap((node, index) => [
        ...(parent.type === "parallel" && index > 0 ? ["--"] : []),
        ...linesOf(node),
      ]),
    ...inside.filter(({ source }) => parentOf(source) === parent).flatMap(arrowsOf),
  ];

  const lines = [
    boxOf(root, `${root.key} (in every state)`),
    ...internalLines(root),
    ...childLines(root),
    ...crossing.flatMap(arrowsOf),
  ];
  return ["stateDiagram-v2", ...indent(lines), ""].join("\n");
}

/** True if the node is drawn as a box that contains states. The root is not. */
function isBox(node: ChartNode | undefined): boolean {
  return node?.parent !== undefined && (node.type === "compound" || node.type === "parallel");
}

/**
 * Formats the event: "done callModel" for "xstate.done.actor.callModel", "done" for the end of the state's own
 * children, "after 1000".
 */
function eventOf({ kind, event }: ChartEdge): string {
  if (kind === "event" || kind === "always") return event;
  const [, , what = "", ...rest] = event.split(".");
  const subject = kind === "after" ? what : what === "actor" ? rest.join(".") : "";
  return `${kind} ${subject}`.trimEnd();
}

/** Escapes the characters that have a meaning in Mermaid. */
function escaped(text: string): string {
  return text.replace(/[#;:"\n]/g, (character) => `#${character.codePointAt(0)};`);
}

/** Turns a state's key into a part of a Mermaid id; different keys give different parts. */
function idPart(key: string): string {
  return key.replace(/[^A-Za-z0-9]/g, (character) => `_${character.codePointAt(0)}_`);
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
