import type { ChartEdge } from "../wire/types.ts";
import type { ChartIndex } from "./chart-index.ts";
import { t } from "../words/t.ts";

/** An edge that was taken, and the alternatives before it whose guards failed. */
export type Branch = { readonly taken: ChartEdge; readonly notTaken: readonly ChartEdge[] };

/**
 * Guards are tried in document order: the alternatives before a taken edge, with the same source and event,
 * failed.
 */
export function branchesOf(index: ChartIndex, taken: readonly string[]): readonly Branch[] {
  return taken.flatMap((id) => {
    const edge = index.edges.get(id);
    if (!edge) return [];
    const group = index.chart.edges.filter(
      ({ source, event }) => source === edge.source && event === edge.event,
    );
    // of a transition that is a function nobody knows what it has tried
    return [{ taken: edge, notTaken: edge.learnt ? [] : group.slice(0, group.indexOf(edge)) }];
  });
}

/** Returns the extent of the path between two configurations that is covered by recorded edges. Older releases recorded none. */
export function pathCoverage(
  index: ChartIndex,
  before: readonly string[],
  taken: readonly string[],
  after: readonly string[],
): "full" | "partial" | "none" {
  if (before.length === 0 || before.join() === after.join()) return "full";
  const edges = taken.flatMap((id) => index.edges.get(id) ?? []);
  if (edges.length === 0) return "none";
  let at = before;
  for (const { source, targets } of edges) {
    if (!at.includes(source)) return "partial";
    if (targets.length > 0) at = targets.flatMap((target) => entered(index, target));
  }
  return after.every((id) => at.includes(id)) ? "full" : "partial";
}

/** The states that are active after a state was entered: its ancestors and its initial descendants. */
function entered({ nodes }: ChartIndex, target: string): readonly string[] {
  const active: string[] = [];
  for (let id = nodes.get(target)?.parent; id !== undefined; id = nodes.get(id)?.parent) active.unshift(id);
  for (let id: string | undefined = target; id !== undefined; id = nodes.get(id)?.initial) active.push(id);
  return active;
}

/** Formats a guard with its parameters: `listens(preCall)`. */
export function guardText({ guard }: Pick<ChartEdge, "guard">): string {
  if (!guard) return t("else");
  const params = Object.values(guard.params ?? {}).filter((value) => typeof value !== "object");
  return params.length === 0 ? guard.name : `${guard.name}(${params.join(", ")})`;
}

/** Formats an event type: `done callModel`, `error tool.*`, "(always)". */
export function eventText(event: string): string {
  if (event === "") return t("(always)");
  const [, kind, name] = /^xstate\.(done|error)\.actor\.(.*)$/.exec(event) ?? [];
  if (kind !== undefined && name !== undefined) return `${kind} ${name.replace(/^\d+\./, "")}`;
  return event.replace(/^xstate\./, "");
}
