import { indexChart } from "../logic/chart-index.ts";
import type { ChartMessage, RunRow } from "../wire/types.ts";
import { model } from "./model.ts";

/** The time at which the server last sent a row unasked, of the newest ones: a request takes no longer. */
const pushedAt = new Map<string, number>();
const MAX_PUSHED = 10_000;

/** Applies rows that the server sent unasked. */
export function applyRows(op: "snapshot" | "upsert" | "remove", rows: readonly RunRow[]): void {
  const known = new Map(model.rows);
  for (const row of rows) {
    pushedAt.delete(row.runId);
    pushedAt.set(row.runId, performance.now());
    if (op === "remove") known.delete(row.runId);
    else known.set(row.runId, row);
  }
  for (const old of pushedAt.keys()) if (pushedAt.size > MAX_PUSHED) pushedAt.delete(old);
  model.set({ rows: known });
}

/**
 * Applies rows that were requested at `requestedAt`, except those that the server has sent since. Returns the
 * applied ones.
 */
export function mergeRows(rows: readonly RunRow[], requestedAt: number): readonly RunRow[] {
  const known = new Map(model.rows);
  const fresh = rows.filter(({ runId }) => (pushedAt.get(runId) ?? 0) <= requestedAt);
  for (const row of fresh) known.set(row.runId, row);
  model.set({ rows: known });
  return fresh;
}

/** Marks all processes as lost, until the server says that they are connected. */
export function loseProcesses(): void {
  const since = Date.now();
  const lost = ({ worker, ...row }: RunRow): RunRow =>
    worker ? { ...row, worker: { ...worker, isUp: false, since }, can: [] } : { ...row, can: [] };
  model.set({ rows: new Map([...model.rows].map(([runId, row]) => [runId, lost(row)])) });
}

/** Adds a chart; one without layouts does not replace one with layouts. */
export function addChart({ hash, chart, layouts }: Omit<ChartMessage, "type">): void {
  if (!layouts && model.charts.get(hash)?.layouts) return; // it has been laid out since the request
  const charts = new Map(model.charts).set(hash, { hash, chart, layouts, index: indexChart(chart) });
  model.set({ charts });
}
