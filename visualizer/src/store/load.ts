import type { Api } from "../wire/api.ts";
import { RUN_GROUPS, type ChartMessage, type RunGroup } from "../wire/types.ts";
import { client } from "./client.ts";
import { model, type Model, type RunLists } from "./model.ts";
import type { RunData } from "./run-data.ts";
import { NO_FILTER, queryOf, type ListFilter } from "../logic/run-filter.ts";
import { notify } from "./notices.ts";
import { mergeRows, addChart } from "./rows.ts";

const STEPS_PER_PAGE = 1_000;
const ROWS_PER_PAGE = 100;

let requests = 0;

/** Loads the first page of every group of runs. */
export async function loadRuns(): Promise<void> {
  const own = ++requests;
  await Promise.all(RUN_GROUPS.map((group) => loadGroup(group, undefined)));
  if (model.isAsking && own === requests) model.set({ isAsking: false });
}

/** The time after a change of the text until the server is asked, and the time after an answer that lacks runs, ms. */
const [TYPING_DELAY_MS, INDEXING_DELAY_MS] = [150, 1_000];
let asking: ReturnType<typeof setTimeout> | undefined;

function askLater(delayMs: number): void {
  clearTimeout(asking);
  asking = setTimeout(() => void loadRuns(), delayMs);
}

/** Searches the runs for words. */
export function searchRuns(search: string): void {
  requests++;
  model.set({ search, found: new Set(), isAsking: true });
  askLater(TYPING_DELAY_MS);
}

/** Filters the list of runs. */
export function filterRuns(change: Partial<ListFilter>): void {
  requests++;
  model.set({ filter: { ...model.filter, ...change }, found: new Set(), isAsking: true });
  askLater(TYPING_DELAY_MS);
}

/** Lists all runs again. */
export function clearFilters(): void {
  model.set({ search: "", filter: NO_FILTER, group: "all", worker: null, found: new Set() });
  void loadRuns();
}

/** Filters the list to the runs of one process; null removes the filter. */
export function filterByWorker(worker: string | null): void {
  model.set({ worker });
  void loadRuns();
}

/** Updates the list of processes, and removes a filter for a process that is no longer listed. */
export function updateWorkers({ rows, up, total }: Model["workers"]): void {
  model.set({ workers: { rows, up, total } });
  if (model.worker !== null && !rows.some(({ id }) => id === model.worker)) filterByWorker(null);
}

/** Loads the next page of a group. */
export async function loadMore(group: RunGroup): Promise<void> {
  const { cursor } = model.lists[group];
  if (cursor !== undefined) await loadGroup(group, cursor);
}

const inFlight = new Set<string>();

async function loadGroup(group: RunGroup, cursor: string | undefined): Promise<void> {
  const { search, worker, filter } = model;
  const query = queryOf(filter, search, Date.now());
  const key = `${group} ${cursor} ${worker} ${search} ${JSON.stringify(filter)}`;
  if (inFlight.has(key)) return;
  inFlight.add(key);
  await withApi(async (api) => {
    const requestedAt = performance.now();
    const page = await api.runs({
      ...query,
      group,
      limit: ROWS_PER_PAGE,
      ...(worker !== null && { worker }),
      ...(cursor !== undefined && { cursor }),
    });
    if (search !== model.search || worker !== model.worker || filter !== model.filter) return;
    const { total, unindexed = 0 } = page;
    const lists: RunLists = { ...model.lists, [group]: { total, cursor: page.cursor } };
    const found = new Set([...model.found, ...page.rows.map(({ runId }) => runId)]);
    model.set({ lists, found, unindexed });
    mergeRows(page.rows, requestedAt);
    if (unindexed > 0) askLater(INDEXING_DELAY_MS);
  });
  inFlight.delete(key);
}

/** Loads a run that is not in the list, such as that of a link, and its chart. */
export async function loadRun(runId: string): Promise<void> {
  const isFound = await withApi(async (api) => {
    const requestedAt = performance.now();
    const { row, pending, exceeded } = await api.run(runId);
    const isUpdated = mergeRows([row], requestedAt).length > 0;
    if (isUpdated && model.selection.runId === runId)
      model.set({ pending: { items: pending, ...(exceeded !== undefined && { exceeded }) } });
    await loadChart(row.chart);
  });
  if (!isFound && model.isConnected && model.selection.runId === runId) model.set({ isLoading: false });
}

/** Loads a chart, unless it is loaded, being loaded, or unknown to the server. */
export async function loadChart(hash: string): Promise<void> {
  if (model.charts.has(hash) || model.unknownCharts.has(hash) || inFlight.has(`chart:${hash}`)) return;
  inFlight.add(`chart:${hash}`);
  await withApi(async (api) => {
    const chart = await api.chart(hash);
    if (chart) addChartAndLayOut(chart);
    else model.set({ unknownCharts: new Set(model.unknownCharts).add(hash) });
  });
  inFlight.delete(`chart:${hash}`);
}

/** Adds a chart, and requests its layout if it has none. */
export function addChartAndLayOut(chart: ChartMessage): void {
  addChart(chart);
  if (!chart.layouts) void layOut(chart);
}

/** Requests the layout of a chart and adds it when it arrives. */
export async function layOut({ hash, chart }: Pick<ChartMessage, "hash" | "chart">): Promise<void> {
  if (inFlight.has(`layouts:${hash}`)) return;
  inFlight.add(`layouts:${hash}`);
  const layouts = await client.api?.layouts(chart).catch(() => null);
  if (layouts) addChart({ hash, chart, layouts });
  inFlight.delete(`layouts:${hash}`);
}

/** Older steps are loaded only on request. */
export const AUTO_LOADED_STEPS = 20_000;
/** The requested positions per run; requests that come while steps are loading are handled after them. */
const requestedPositions = new WeakMap<RunData, Set<number>>();

/** Loads the missing steps below `below`, page by page from the newest. */
export async function fillMissing(below: number = model.run.last): Promise<void> {
  const { run, selection } = model;
  const { runId } = selection;
  if (runId === null || model.files.has(runId)) return;
  const running = requestedPositions.get(run);
  if (running) return void running.add(below);
  const positions = new Set([below]);
  requestedPositions.set(run, positions);
  run.isFilling = true;
  for (const position of positions) if (!(await fillBelow(run, runId, position))) break;
  requestedPositions.delete(run);
  run.isFilling = false;
  model.changed();
}

/** Returns false if further requests would fail too. */
async function fillBelow(run: RunData, runId: string, below: number): Promise<boolean> {
  while (model.run === run) {
    const missing = run.missingBelow(below, STEPS_PER_PAGE);
    if (!missing || missing.to <= below - AUTO_LOADED_STEPS)
      return fillContext(run, runId, missing?.to ?? run.first - 1);
    const isLoaded = await withApi(async (api) => {
      run.add(await api.steps(runId, missing.from, missing.to));
      model.changed();
    });
    if (!isLoaded || !run.at(missing.to)) return false;
  }
  return false;
}

/**
 * Loads the context before the oldest of the steps that were loaded, if it is unknown. It has all messages up to it, and the contexts
 * after it share them. One for each page would take memory that grows with the square of the steps.
 */
function fillContext(run: RunData, runId: string, at: number): Promise<boolean> {
  if (run.contextAt(at)) return Promise.resolve(true);
  return withApi(async (api) => {
    const context = await api.keyframe(runId, at);
    if (context) run.keepKeyframe(at, context);
  });
}

/** Loads a missing step and the steps around it. */
export function fillAround(stepNumber: number): Promise<void> {
  return fillMissing(stepNumber + STEPS_PER_PAGE / 2);
}

async function withApi(work: (api: Api) => Promise<void>): Promise<boolean> {
  if (!client.api) return false;
  try {
    await work(client.api);
    return true;
  } catch (error) {
    if (model.connection.kind === "open") notify("bad", (error as Error).message);
    return false;
  }
}
