import type { ChartEdge } from "../wire/types.ts";
import type { ChartIndex } from "./chart-index.ts";

/** An edge that was taken, and those before it whose guards were false there. */
export type Choice = { readonly taken: ChartEdge; readonly notTaken: readonly ChartEdge[] };

/** Guards are tried in document order: of the edges with the same source and event, those before the taken one were false. */
export function choicesOf(index: ChartIndex, taken: readonly string[]): readonly Choice[] {
  return taken.flatMap((id) => {
    const edge = index.edges.get(id);
    if (!edge) return [];
    const group = index.chart.edges.filter(
      ({ source, event }) => source === edge.source && event === edge.event,
    );
    return [{ taken: edge, notTaken: group.slice(0, group.indexOf(edge)) }];
  });
}

/** How much of the way from some states to others the edges tell: a journal knows where a run stood, and not always how it
 *  got there. */
export function knownWay(
  index: ChartIndex,
  before: readonly string[],
  taken: readonly string[],
  after: readonly string[],
): "whole" | "part" | "nothing" {
  if (before.length === 0 || before.join() === after.join()) return "whole";
  const edges = taken.flatMap((id) => index.edges.get(id) ?? []);
  if (edges.length === 0) return "nothing";
  let at = before;
  for (const { source, targets } of edges) {
    if (!at.includes(source)) return "part";
    if (targets.length > 0) at = targets.flatMap((target) => entered(index, target));
  }
  return after.every((id) => at.includes(id)) ? "whole" : "part";
}

/** The states that are active once a state was entered: those around it, and those it begins in. */
function entered({ nodes }: ChartIndex, target: string): readonly string[] {
  const active: string[] = [];
  for (let id = nodes.get(target)?.parent; id !== undefined; id = nodes.get(id)?.parent) active.unshift(id);
  for (let id: string | undefined = target; id !== undefined; id = nodes.get(id)?.initial) active.push(id);
  return active;
}

/** What a guard is called, with what it was asked: `listens(preCall)`. */
export function guardText({ guard }: Pick<ChartEdge, "guard">): string {
  if (!guard) return "else";
  const params = Object.values(guard.params ?? {}).filter((value) => typeof value !== "object");
  return params.length === 0 ? guard.name : `${guard.name}(${params.join(", ")})`;
}

/** An event as people say it: `done callModel`, `error tool.*`, "(always)". */
export function eventText(event: string): string {
  if (event === "") return "(always)";
  const [, kind, name] = /^xstate\.(done|error)\.actor\.(.*)$/.exec(event) ?? [];
  if (kind !== undefined && name !== undefined) return `${kind} ${name.replace(/^\d+\./, "")}`;
  return event.replace(/^xstate\./, "");
}
