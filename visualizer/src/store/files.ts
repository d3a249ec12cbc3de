import { indexChart } from "../logic/chart-index.ts";
import { readRunFile, type RunFile } from "../logic/run-file.ts";
import { client } from "./client.ts";
import { layOut } from "./load.ts";
import { model, type KnownChart } from "./model.ts";
import { select } from "./navigate.ts";
import { notify } from "./notices.ts";
import { ownChart } from "../wire/api.ts";
import { RunData } from "./run-data.ts";

/** Opens an exported run from a file of this computer: nothing leaves the page, and nothing can be asked of it. */
export async function openFile(file: File): Promise<void> {
  try {
    await openText(file.name, await file.text());
  } catch (error) {
    notify("bad", `${file.name}: ${(error as Error).message}`);
  }
}

async function openText(name: string, text: string): Promise<void> {
  const read = readRunFile(text);
  const { damage } = read;
  const chart = await drawable(read);
  const runId = `file:${read.row.runId}`.toWellFormed();
  const data = new RunData();
  const first = read.steps[0]?.q ?? 1;
  const total = read.steps.at(-1)?.q ?? 0;
  for (const [at, context] of read.keyframes) data.keepKeyframe(at, context);
  data.add({ runId, states: read.states, items: read.steps, total, first });
  const row = { ...read.row, runId, chart: chart?.hash ?? read.row.chart };
  const lacksChart = chart === undefined;
  const opened = { name, row, data, blobs: read.blobs, lacksChart, ...(damage && { damage }) };
  const charts = chart
    ? new Map(model.charts).set(chart.hash, { ...chart, index: indexChart(chart.chart) })
    : model.charts;
  model.set({ files: new Map(model.files).set(runId, opened), charts });
  if (chart && !chart.layouts) void layOut(chart);
  select({ runId: null, q: null }, "replace");
  select({ runId, q: null });
}

/** The chart of a file with its layouts: as it is known already, as the hub knows it, or as the file has it, without its places. Who
 *  has no token gets the chart of this release. */
async function drawable({ chart, row }: RunFile): Promise<Omit<KnownChart, "index"> | undefined> {
  const hash = chart?.hash ?? row.chart;
  const known = model.charts.get(hash);
  if (known) return known;
  if (!client.api) {
    const own = await ownChart();
    return own?.hash === hash ? own : chart;
  }
  return (await client.api.chart(hash).catch(() => undefined)) ?? (chart && { ...chart, layouts: null });
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
