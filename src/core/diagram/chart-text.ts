import { perObject } from "../base/json.ts";
import type { Chart, ChartEdge, ChartName, ChartNode } from "./chart-json.ts";
import type { PlacedNode } from "./layout.ts";

type Row = PlacedNode["rows"][number];

/** The maximum length of a drawn text in characters; longer ones are cut. */
const MAX_LENGTH = 60;
/** The maximum length of a row that several transitions with the same actions share, in characters. */
const MAX_SHARED_ROW = 44;

/** The transitions of a chart by their sources. */
const edgesOf = perObject((chart: Chart) => Map.groupBy(chart.edges, ({ source }) => source));

/** The label of a transition: "done", "call", "[isOverBudget]", "run.interrupt [isLate]", "else", "always". */
export function edgeText(edge: ChartEdge, chart: Chart): string {
  const hasOthers = edgesOf(chart)
    .get(edge.source)!
    .some((other) => isAlternative(edge, other));
  const condition = edge.guard ? `[${callText(edge.guard)}]` : hasOthers ? "else" : "";
  const text = [eventText(edge, chart), condition].filter((part) => part !== "").join(" ");
  return drawable(text === "" ? "always" : text);
}

/**
 * The rows below the title of a state: its services, its entry and exit actions, and its transitions without a
 * target.
 */
export function stateRows(node: ChartNode, chart: Chart): Row[] {
  const named = (kind: Row["kind"], sign: string, names: readonly string[]): Row[] =>
    names.map((name) => ({ kind, text: drawable(`${sign} ${name}`), edges: [] }));
  return [
    ...named("invoke", "⚙", node.invoke),
    ...named("entry", "↳", node.entry.map(callText)),
    ...named("exit", "↱", node.exit.map(callText)),
    ...internalRows(node, chart),
  ];
}

/** Returns the effect of a transition: "observe, deliverWaiting", or "refused: busy". */
export function actionsText({ actions, refuse }: ChartEdge): string {
  return [...actions.map(callText), ...(refuse === undefined ? [] : [`refused: ${refuse}`])].join(", ");
}

/**
 * Makes text safe to draw: one line, at most 60 characters, with control and bidirectional characters replaced.
 */
export function drawable(text: string): string {
  const characters = Array.from(text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{FFFD}"));
  return characters.length > MAX_LENGTH
    ? `${characters.slice(0, MAX_LENGTH - 1).join("")}…`
    : characters.join("");
}

function internalRows(node: ChartNode, chart: Chart): Row[] {
  const rows: { text: string; actions: string; edges: string[] }[] = [];
  for (const edge of edgesOf(chart).get(node.id) ?? []) {
    if (edge.targets.length > 0) continue;
    const actions = actionsText(edge);
    const event = edgeText(edge, chart);
    const row = rows.find(
      (other) =>
        other.actions === actions && other.text.length + event.length + actions.length < MAX_SHARED_ROW,
    );
    if (row) {
      row.text += `, ${event}`;
      row.edges.push(edge.id);
    } else rows.push({ text: event, actions, edges: [edge.id] });
  }
  return rows.map(({ text, actions, edges }) => ({
    kind: "stay",
    text: drawable(`⟲ ${actions === "" ? text : `${text} / ${actions}`}`),
    edges,
  }));
}

/**
 * Formats the event: "done" for the end of the source's only service, "done tool.*" for others, "after 1000
 * ms".
 */
function eventText({ kind, event, source }: ChartEdge, chart: Chart): string {
  if (kind === "event" || kind === "always") return event;
  const [, , what = "", ...rest] = event.split(".");
  if (kind === "after") return /^\d+$/.test(what) ? `after ${what} ms` : `after ${what}`;
  const services = chart.nodes.find(({ id }) => id === source)?.invoke ?? [];
  // XState names a service without an id by its index and its state.
  const named = services.find((_, index) => rest.join(".") === `${index}.${source}`);
  const subject = what === "actor" ? (named ?? rest.join(".")) : "";
  return subject === "" || (services.length === 1 && services[0] === subject) ? kind : `${kind} ${subject}`;
}

/**
 * True if two different transitions have the same source and event, of which the machine takes the first whose
 * guard passes.
 */
export function isAlternative(one: ChartEdge, other: ChartEdge): boolean {
  return one !== other && one.source === other.source && one.event === other.event;
}

/** Formats a guard or an action as a call: `resumesIn(acting)`. */
export function callText({ name, params = {} }: ChartName): string {
  const values = Object.values(params).map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  return values.length > 0 ? `${name}(${values.join(", ")})` : name;
}
