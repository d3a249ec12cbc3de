import { indexChart } from "../logic/chart-index.ts";
import type { ChartMessage, RunRow } from "../wire/types.ts";
import { model } from "./model.ts";

/** When the hub told of a row by itself. */
const toldAt = new Map<string, number>();

/** Rows as the hub tells them by itself. */
export function takeRows(op: "snapshot" | "upsert" | "remove", rows: readonly RunRow[]): void {
  const known = new Map(model.rows);
  for (const row of rows) {
    toldAt.set(row.runId, performance.now());
    if (op === "remove") known.delete(row.runId);
    else known.set(row.runId, row);
  }
  model.set({ rows: known });
}

/** Rows that were asked for at `askedAt`: what the hub has told since then is newer. */
export function takeAnswer(rows: readonly RunRow[], askedAt: number): readonly RunRow[] {
  const known = new Map(model.rows);
  const fresh = rows.filter(({ runId }) => (toldAt.get(runId) ?? 0) <= askedAt);
  for (const row of fresh) known.set(row.runId, row);
  model.set({ rows: known });
  return fresh;
}

export function takeChart({ hash, chart, layouts }: Omit<ChartMessage, "type">): void {
  if (!layouts && model.charts.get(hash)?.layouts) return; // it was laid out since
  const charts = new Map(model.charts).set(hash, { hash, chart, layouts, index: indexChart(chart) });
  model.set({ charts });
}
