import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Chart } from "./chart-json.ts";
import shipped from "./agent-layouts.json" with { type: "json" };
import type { Layouts } from "./layout.ts";

const DEADLINE_MS = 20_000;
/** A chart that was given up may be tried again after this. */
const RETRY_MS = 60_000;
/** How many charts are remembered. */
const CAPACITY = 50;
/** In the sources the worker stands beside this file; a build puts this one into the main folder or into one of its own. */
const WORKER = ["./layout-worker.ts", "./diagram/layout-worker.mjs", "../diagram/layout-worker.mjs"];

/** The layouts of the agent's own chart come with the package: `npm run docs:chart` makes them. */
const known = new Map<string, Promise<Layouts | null>>([
  [shipped.key, Promise.resolve(shipped.layouts as unknown as Layouts)],
]);

/** What two charts have in common that are laid out alike. */
export function layoutKey(chart: Chart): string {
  return hash("sha256", JSON.stringify(chart));
}

/**
 * Lays a chart out in a thread of its own, so that the caller goes on meanwhile, and remembers it. Null if it is not done
 * after `deadlineMs` (default 20,000) or cannot be done: show the chart as an outline then; after a minute it may be asked for
 * again. Never rejects, and never keeps the process alive.
 */
export function layoutInWorker(
  chart: Chart,
  { deadlineMs = DEADLINE_MS }: { readonly deadlineMs?: number } = {},
): Promise<Layouts | null> {
  const key = layoutKey(chart);
  const layouts = known.get(key) ?? begin(key, chart, deadlineMs);
  known.delete(key);
  known.set(key, layouts);
  for (const oldest of known.keys()) if (known.size > CAPACITY) known.delete(oldest);
  return layouts;
}

function begin(key: string, chart: Chart, deadlineMs: number): Promise<Layouts | null> {
  const layouts = inThread(chart, deadlineMs);
  void layouts.then((found) => {
    if (!found) setTimeout(() => known.delete(key), RETRY_MS).unref();
  });
  return layouts;
}

function inThread(chart: Chart, deadlineMs: number): Promise<Layouts | null> {
  const file = WORKER.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
  if (!file) return Promise.resolve(null);
  return new Promise((resolve) => {
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
    worker.unref(); // a listener to its messages holds the process
  });
}
