import type { Chart } from "../../core/diagram/chart-json.ts";

/** A chart with the hash that identifies its version. */
export type ChartVersion = { readonly hash: string; readonly chart: Chart };

/** The ids of the states that are active in the state `path`, outermost first. */
export function activeIds(chart: string, path: string): readonly string[] {
  const keys = path.split(".");
  return [chart, ...keys.map((_, index) => [chart, ...keys.slice(0, index + 1)].join("."))];
}

/** Returns the innermost active state, without the root. */
export function innermost(active: readonly string[]): string {
  const root = active[0] ?? "";
  return (active.at(-1) ?? "").slice(root.length + 1);
}
