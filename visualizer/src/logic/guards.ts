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
