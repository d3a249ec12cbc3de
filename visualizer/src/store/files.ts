import { isObject } from "../../../src/core/base/json.ts";
import type { EmbeddedRun } from "../hand-on/page-file.ts";
import { indexChart } from "../logic/chart-index.ts";
import { readRunFile, type RunFile } from "../wire/run-file.ts";
import { client } from "./client.ts";
import { layOut } from "./load.ts";
import { model, type IndexedChart } from "./model.ts";
import { select } from "./navigate.ts";
import { notify } from "./notices.ts";
import { ownChart } from "../wire/api.ts";
import { RunData } from "./run-data.ts";

/** Opens an exported run from a local file. Nothing leaves the page, and commands are not available. */
export async function openFile(file: File): Promise<void> {
  try {
    const text = await file.text();
    await openText(file.name, isMachine(text) && client.api ? await client.api.machine(text) : text);
  } catch (error) {
    notify("bad", `${file.name}: ${(error as Error).message}`);
  }
}

/** True for the configuration of a machine of XState as JSON, as Stately exports it: the server makes a run of it. */
function isMachine(text: string): boolean {
  try {
    const { states, on } = JSON.parse(text) as { readonly states?: unknown; readonly on?: unknown };
    return isObject(states) || isObject(on);
  } catch {
    return false; // an exported run is many lines
  }
}

/** Opens the run that is a part of this page, at its step. The page has no server: the file brings the layouts of its chart. */
export async function openEmbedded({ name, text, step }: EmbeddedRun): Promise<void> {
  await openText(name, text, ({ chart }) => Promise.resolve(chart));
  const { runId } = model.selection;
  if (step !== null) select({ runId, stepNumber: step }, "replace");
}

/** Opens an exported run from its text. Rejects if it is not one. */
export async function openText(name: string, text: string, findChart = chartOf): Promise<void> {
  const read = readRunFile(text);
  const { damage } = read;
  const chart = await findChart(read);
  const runId = `file:${read.row.runId}`.toWellFormed();
  const data = new RunData();
  if (read.keyframe) data.keepKeyframe(read.keyframe.at, read.keyframe.context);
  data.add({ runId, states: read.states, items: read.steps, total: read.last, first: read.first });
  const row = { ...read.row, runId, chart: chart?.hash ?? read.row.chart };
  const lacksChart = chart === undefined;
  const opened = { name, row, data, blobs: read.blobs, lacksChart, ...(damage && { damage }) };
  const charts = chart
    ? new Map(model.charts).set(chart.hash, { ...chart, index: indexChart(chart.chart) })
    : model.charts;
  model.set({ files: new Map(model.files).set(runId, opened), charts });
  if (chart && !chart.layouts) void layOut(chart);
  select({ runId: null, stepNumber: null }, "replace");
  select({ runId, stepNumber: null });
}

/**
 * The chart of a file, with layouts if they are known to the page or the server, else as it is in the file.
 * Without a token only the chart of the server's release is available.
 */
async function chartOf({ chart, row }: RunFile): Promise<Omit<IndexedChart, "index"> | undefined> {
  const hash = chart?.hash ?? row.chart;
  const known = model.charts.get(hash);
  if (known) return known;
  if (chart && row.actor) return { ...chart, layouts: chart.layouts ?? null }; // no server has that of a foreign machine
  if (!client.api) {
    const own = await ownChart();
    return own?.hash === hash ? own : chart;
  }
  return (await client.api.chart(hash).catch(() => undefined)) ?? (chart && { ...chart, layouts: null });
}

/** Opens files that are dropped on the page. */
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
