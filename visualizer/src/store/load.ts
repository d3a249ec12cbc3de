import { GROUPS, type Group } from "../logic/run-groups.ts";
import type { Api } from "../wire/api.ts";
import type { ChartMessage } from "../wire/types.ts";
import { client } from "./client.ts";
import { model, type Model, type RunLists } from "./model.ts";
import type { RunData } from "./run-data.ts";
import { notify } from "./notices.ts";
import { takeAnswer, takeChart } from "./rows.ts";

const PAGE = 1_000;
const ROWS = 100;

/** The first page of every group of runs. */
export async function loadRuns(): Promise<void> {
  await Promise.all(GROUPS.map((group) => loadGroup(group, undefined)));
}

/** Narrows the list to the runs of one process; null widens it. */
export function showRunsOf(worker: string | null): void {
  model.set({ worker });
  void loadRuns();
}

/** The processes there are. A list narrowed to one that is not among them any more is widened. */
export function takeWorkers({ rows, up, total }: Model["workers"]): void {
  model.set({ workers: { rows, up, total } });
  if (model.worker !== null && !rows.some(({ id }) => id === model.worker)) showRunsOf(null);
}

/** The next page of a group. */
export async function loadMore(group: Group): Promise<void> {
  const { cursor } = model.lists[group];
  if (cursor !== undefined) await loadGroup(group, cursor);
}

const underWay = new Set<string>();

async function loadGroup(group: Group, cursor: string | undefined): Promise<void> {
  const { search, worker } = model;
  const key = `${group} ${cursor} ${worker} ${search}`;
  if (underWay.has(key)) return;
  underWay.add(key);
  await tried(async (api) => {
    const query = {
      group,
      limit: ROWS,
      ...(search !== "" && { q: search }),
      ...(worker !== null && { worker }),
      ...(cursor !== undefined && { cursor }),
    };
    const askedAt = performance.now();
    const page = await api.runs(query);
    if (search !== model.search || worker !== model.worker) return;
    const lists: RunLists = { ...model.lists, [group]: { total: page.total, cursor: page.cursor } };
    model.set({ lists });
    takeAnswer(page.rows, askedAt);
  });
  underWay.delete(key);
}

/** A run that is not in the list, as from a link, and its chart. */
export async function loadRun(runId: string): Promise<void> {
  await tried(async (api) => {
    const askedAt = performance.now();
    const { row, pending, exceeded } = await api.run(runId);
    const isNews = takeAnswer([row], askedAt).length > 0;
    if (isNews && model.selection.runId === runId)
      model.set({ pending: { items: pending, ...(exceeded !== undefined && { exceeded }) } });
    await loadChart(row.chart);
  });
}

export async function loadChart(hash: string): Promise<void> {
  if (model.charts.has(hash) || model.unknownCharts.has(hash) || underWay.has(`chart ${hash}`)) return;
  underWay.add(`chart ${hash}`);
  await tried(async (api) => {
    const chart = await api.chart(hash);
    if (chart) takeLaidOut(chart);
    else model.set({ unknownCharts: new Set(model.unknownCharts).add(hash) });
  });
  underWay.delete(`chart ${hash}`);
}

/** Takes a chart; an outline becomes a picture when the hub has laid it out. */
export function takeLaidOut(chart: ChartMessage): void {
  takeChart(chart);
  if (!chart.layouts) void layOut(chart);
}

export async function layOut({ hash, chart }: Pick<ChartMessage, "hash" | "chart">): Promise<void> {
  if (underWay.has(`layouts ${hash}`)) return;
  underWay.add(`layouts ${hash}`);
  const layouts = await client.api?.layouts(chart).catch(() => null);
  if (layouts) takeChart({ hash, chart, layouts });
  underWay.delete(`layouts ${hash}`);
}

/** Older steps than these many are fetched only when somebody goes there. */
export const WANTED = 20_000;
/** Where steps are asked for: what is asked while others are fetched comes after them. */
const filling = new WeakMap<RunData, Set<number>>();

/** Fetches the steps that are missing below `below`, page by page from the newest. */
export async function fillMissing(below: number = model.run.last): Promise<void> {
  const { run, selection } = model;
  const { runId } = selection;
  if (runId === null || model.files.has(runId)) return;
  const underWayHere = filling.get(run);
  if (underWayHere) return void underWayHere.add(below);
  const places = new Set([below]);
  filling.set(run, places);
  for (const place of places) if (!(await fillBelow(run, runId, place))) break;
  filling.delete(run);
}

/** False if it is of no use to ask for more. */
async function fillBelow(run: RunData, runId: string, below: number): Promise<boolean> {
  while (model.run === run) {
    const missing = run.missingBelow(below, PAGE);
    if (!missing || missing.to <= below - WANTED) return true;
    const isGoingOn = await tried(async (api) => {
      run.add(await api.steps(runId, missing.from, missing.to));
      model.changed();
    });
    if (!isGoingOn || !run.at(missing.to)) return false;
  }
  return false;
}

/** Fetches the steps on both sides of a missing one, and those below. */
export function fillAround(q: number): Promise<void> {
  return fillMissing(q + PAGE / 2);
}

async function tried(work: (api: Api) => Promise<void>): Promise<boolean> {
  if (!client.api) return false;
  try {
    await work(client.api);
    return true;
  } catch (error) {
    if (model.connection.kind === "open") notify("bad", (error as Error).message);
    return false;
  }
}
