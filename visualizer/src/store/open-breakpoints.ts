import type { Breakpoint } from "../../../src/core/tool/breakpoint.ts";
import { stateName, type ActorBreak } from "../../../src/inspect/protocol/actor-break.ts";
import { model, type Dialog, type Model, type StepFilter } from "./model.ts";

/** True if breakpoints of the displayed run can be set now: a process drives it, and this page may decide. */
export function canBreak({ isConnected, connection, row }: Model): boolean {
  const mayDecide = connection.kind === "open" && !connection.readonly;
  if (!isConnected || !mayDecide || row?.source !== "live") return false;
  if (row.actor) return row.can.includes("breakAt");
  return row.parent !== undefined || row.can.some((type) => type !== "fork" && type !== "forkPlan");
}

/** Opens the dialog with the breakpoints of the displayed run; `add` is what is to be added first. */
export function openBreakpoints(add?: Breakpoint | ActorBreak): void {
  const kind = model.row?.actor ? "actorBreaks" : "breakpoints";
  model.set({ dialog: { kind, ...(add && { add }) } as Dialog });
}

/** The root of the chart of every agent, before the paths of its states. */
const ROOT = "agent.";

const pathOf = (id: string | undefined): string | undefined =>
  id?.startsWith(ROOT) ? id.slice(ROOT.length) : undefined;

/** Returns the breakpoint that a filter of the list of steps stands for; undefined if there is none. */
export function breakpointOfFilter(
  { chart, row }: Model,
  filter: StepFilter,
): Breakpoint | ActorBreak | undefined {
  if (filter.kind === "search") return undefined;
  if (row?.actor) {
    const [id = ""] = filter.kind === "place" ? [] : filter.ids;
    const event = chart?.index.edges.get(id)?.event;
    if (filter.kind === "edge") return event ? { event } : undefined;
    return filter.kind === "state" && chart ? { state: stateName(id, chart.index.root) } : undefined;
  }
  if (filter.kind === "place") {
    const { id, tools = [] } = filter;
    const tool = id.startsWith("tool:")
      ? id.slice("tool:".length)
      : tools.length === 1
        ? tools[0]
        : undefined;
    return tool === undefined ? undefined : { tool };
  }
  const [id] = filter.ids;
  if (filter.kind === "state") {
    const state = pathOf(id);
    return state === undefined ? undefined : { state };
  }
  const edge = id === undefined ? undefined : chart?.index.edges.get(id);
  const [from, to] = [pathOf(edge?.source), pathOf(edge?.targets[0])];
  if (!edge || from === undefined) return undefined;
  if (filter.ids.length > 1) return { state: from }; // a decision, which the session is never seen in
  return { edge: { from, ...(to !== undefined && { to }), ...(edge.event !== "" && { on: edge.event }) } };
}
