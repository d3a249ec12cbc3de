import crypto from "node:crypto";
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import type { Chart } from "./chart-json.ts";
import { chartInRows } from "./rows.ts";
import agentLayouts from "./agent-layouts.json" with { type: "json" };
import type { Layouts } from "./layout.ts";

const DEADLINE_MS = 20_000;
/** The time for which a failed layout is remembered before it may be tried again, ms. */
const RETRY_MS = 60_000;
/** The largest chart that is laid out on the main thread, in states and transitions: a larger one would hold it up. */
const MAX_IN_ROWS = 8_000;
/** The maximum number of charts in the cache. */
const CAPACITY = 50;
/**
 * The worker's file, relative to this one: beside it in the sources; a build puts this file into the main
 * folder or a subfolder.
 */
const WORKER_PATHS = ["./layout-worker.ts", "./diagram/layout-worker.mjs", "./layout-worker.mjs"];

/**
 * Layouts by {@link layoutKey}. Those of the agent's chart are part of the package; `npm run docs:chart`
 * generates them.
 */
const cache = new LRUCache<string, Promise<Layouts | null>>({ max: CAPACITY });
cache.set(agentLayouts.key, Promise.resolve(agentLayouts.layouts as unknown as Layouts));

/** The cache key of a chart: charts with the same key have the same layout. */
export function layoutKey(chart: Chart): string {
  return crypto.hash("sha256", JSON.stringify(chart));
}

/**
 * Lays out a chart in a worker thread and caches the result. If that fails or takes longer than `deadlineMs` (default 20,000), it resolves
 * to a plain layout in rows, and to null for what is not a chart, or is too large; a caller then shows an outline. A failed layout is tried again after a
 * minute. Never rejects, and never keeps the process alive.
 */
export function layoutInWorker(
  chart: Chart,
  { deadlineMs = DEADLINE_MS }: { readonly deadlineMs?: number } = {},
): Promise<Layouts | null> {
  const key = layoutKey(chart);
  const layouts = cache.get(key) ?? startLayout(key, chart, deadlineMs);
  cache.set(key, layouts);
  return layouts;
}

function startLayout(key: string, chart: Chart, deadlineMs: number): Promise<Layouts | null> {
  return layoutInThread(chart, deadlineMs).then((result) => {
    if (!result) setTimeout(() => cache.delete(key), RETRY_MS).unref();
    return result ?? inRows(chart);
  });
}

function inRows(chart: Chart): Layouts | null {
  try {
    return chart.nodes.length + chart.edges.length > MAX_IN_ROWS ? null : chartInRows(chart);
  } catch {
    return null; // it is not a chart
  }
}

function layoutInThread(chart: Chart, deadlineMs: number): Promise<Layouts | null> {
  const file = WORKER_PATHS.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
  if (!file) return Promise.resolve(null);
  const made = new Promise<Layouts | null>((resolve) => {
    const worker = new Worker(file, { workerData: chart, execArgv: [], stdout: true, stderr: true });
    const end = (layouts: Layouts | null): void => {
      clearTimeout(timer);
      resolve(layouts);
      void worker.terminate();
    };
    const timer = setTimeout(() => end(null), deadlineMs).unref();
    worker.once("message", end);
    worker.once("error", () => end(null));
    worker.once("exit", () => end(null));
    worker.unref(); // its message listener would keep the process alive
  });
  return made.catch(() => null); // a process may have no threads
}
