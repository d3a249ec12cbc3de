import type { Chart, ChartEdge, ChartName, ChartNode } from "./chart-json.ts";
import type { PlacedNode } from "./layout.ts";

type Row = PlacedNode["rows"][number];

/** Longest text that is drawn, in characters; the rest of it is left out. */
const LONGEST = 60;
/** Transitions that share their actions share a row up to this length. */
const ROW_LENGTH = 44;

/** What is written on a transition: "done", "call", "[isOverBudget]", "run.interrupt [isLate]", "else", "always". */
export function edgeText(edge: ChartEdge, chart: Chart): string {
  const hasOthers = chart.edges.some((other) => isAlternative(edge, other));
  const condition = edge.guard ? `[${callOf(edge.guard)}]` : hasOthers ? "else" : "";
  const text = [eventText(edge, chart), condition].filter((part) => part !== "").join(" ");
  return drawn(text === "" ? "always" : text);
}

/** What stands below the title of a state: its services, what it does on entry and exit, and what happens in it without
 *  leaving it. */
export function rowsOf(node: ChartNode, chart: Chart): Row[] {
  const named = (kind: Row["kind"], sign: string, names: readonly string[]): Row[] =>
    names.map((name) => ({ kind, text: drawn(`${sign} ${name}`), edges: [] }));
  return [
    ...named("invoke", "⚙", node.invoke),
    ...named("entry", "↳", node.entry.map(callOf)),
    ...named("exit", "↱", node.exit.map(callOf)),
    ...stayRows(node, chart),
  ];
}

/** What a transition does beside leading on: "listen, refuseEvent". */
export function actionsText(edge: ChartEdge): string {
  return edge.actions.map(callOf).join(", ");
}

/** Text as it may be drawn: on one line, not too long, what is invisible or turns the reading direction made visible. */
export function drawn(text: string): string {
  const letters = Array.from(text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{FFFD}"));
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : letters.join("");
}

function stayRows(node: ChartNode, chart: Chart): Row[] {
  const rows: { text: string; does: string; edges: string[] }[] = [];
  for (const edge of chart.edges) {
    if (edge.source !== node.id || edge.targets.length > 0) continue;
    const does = actionsText(edge);
    const event = edgeText(edge, chart);
    const row = rows.find(
      (other) => other.does === does && other.text.length + event.length + does.length < ROW_LENGTH,
    );
    if (row) {
      row.text += `, ${event}`;
      row.edges.push(edge.id);
    } else rows.push({ text: event, does, edges: [edge.id] });
  }
  return rows.map(({ text, does, edges }) => ({
    kind: "stay",
    text: drawn(`⟲ ${does === "" ? text : `${text} / ${does}`}`),
    edges,
  }));
}

/** "done" for the end of the source's only service, "done tool.*" for others, "after 1000 ms". */
function eventText({ kind, event, source }: ChartEdge, chart: Chart): string {
  if (kind === "event" || kind === "always") return event;
  const [, , what = "", ...rest] = event.split(".");
  if (kind === "after") return /^\d+$/.test(what) ? `after ${what} ms` : `after ${what}`;
  const services = chart.nodes.find(({ id }) => id === source)?.invoke ?? [];
  // XState calls a service without an id by its number and its state.
  const named = services.find((_, index) => rest.join(".") === `${index}.${source}`);
  const subject = what === "actor" ? (named ?? rest.join(".")) : "";
  return subject === "" || (services.length === 1 && services[0] === subject) ? kind : `${kind} ${subject}`;
}

/** True for transitions of which the machine takes the first whose guard holds. */
function isAlternative(one: ChartEdge, other: ChartEdge): boolean {
  return one !== other && one.source === other.source && one.event === other.event;
}

function callOf({ name, params = {} }: ChartName): string {
  const values = Object.values(params).map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  return values.length > 0 ? `${name}(${values.join(", ")})` : name;
}
