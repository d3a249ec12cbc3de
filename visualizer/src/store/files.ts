import { indexChart } from "../logic/chart-index.ts";
import { readRunFile } from "../logic/run-file.ts";
import { model } from "./model.ts";
import { select } from "./navigate.ts";
import { notify } from "./notices.ts";
import { RunData } from "./run-data.ts";

/** Opens an exported run from a file of this computer: nothing leaves the page, and nothing can be asked of it. */
export async function openFile(file: File): Promise<void> {
  try {
    openText(file.name, await file.text());
  } catch (error) {
    notify("bad", `${file.name}: ${(error as Error).message}`);
  }
}

function openText(name: string, text: string): void {
  const read = readRunFile(text);
  const { chart, damage } = read;
  const runId = `file:${read.row.runId}`;
  const data = new RunData();
  const first = read.steps[0]?.q ?? 1;
  const total = read.steps.at(-1)?.q ?? 0;
  for (const [at, context] of read.keyframes) data.keepKeyframe(at, context);
  data.add({ runId, states: read.states, items: read.steps, total, first });
  const row = { ...read.row, runId, source: "file", chart: chart?.hash ?? read.row.chart, can: [] } as const;
  const opened = { name, row, data, blobs: read.blobs, ...(damage && { damage }) };
  const charts = chart
    ? new Map(model.charts).set(chart.hash, { ...chart, index: indexChart(chart.chart) })
    : model.charts;
  model.set({ files: new Map(model.files).set(runId, opened), charts });
  select({ runId: null, q: null }, "replace");
  select({ runId, q: null });
}

/** Files dropped anywhere on the page are opened. */
export function acceptDrops(): void {
  addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    for (const file of files) void openFile(file);
  });
}
