import { LRUCache } from "lru-cache";
import type { Chart } from "../../core/diagram/chart-json.ts";
import type { ChartMessage } from "../protocol/protocol.ts";
import type { Layouts } from "../../core/diagram/layout.ts";
import { layoutInWorker } from "../../core/diagram/layout-in-worker.ts";

const MAX_CHARTS = 200;
/** A chart whose layout takes longer is displayed as an outline first, ms. */
const LAYOUT_WAIT_MS = 2_000;

/** A chart and its hash. */
export type HashedChart = { readonly hash: string; readonly chart: Chart };

/** The charts of all runs, laid out once each, and the chart of this release. */
export class ChartRegistry {
  readonly #own: HashedChart;
  readonly #charts = new LRUCache<string, Chart>({ max: MAX_CHARTS });

  constructor(own: HashedChart) {
    this.#own = own;
  }

  /** Adds a chart of a worker; ignores values that are not charts. */
  add(hash: string, chart: Chart): void {
    if (!this.#charts.get(hash) && isChart(chart)) this.#charts.set(hash, chart);
  }

  /** Returns the chart with this hash, or undefined if it is unknown. */
  chart(hash: string): Chart | undefined {
    return this.#own.hash === hash ? this.#own.chart : this.#charts.get(hash);
  }

  /** Resolves to a chart, with its layouts if they are computed in time; undefined for an unknown hash. */
  async get(hash: string): Promise<ChartMessage | undefined> {
    const chart = this.chart(hash);
    return chart && { type: "chart", hash, chart, layouts: await layoutsInTime(chart) };
  }

  /** Resolves to the chart of this release with its layouts. */
  async own(): Promise<ChartMessage> {
    return { type: "chart", ...this.#own, layouts: await layoutInWorker(this.#own.chart) };
  }
}

/** Resolves to the layouts of a chart, or to null after two seconds; the computation continues. */
async function layoutsInTime(chart: Chart): Promise<Layouts | null> {
  const { promise: timeout, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), LAYOUT_WAIT_MS);
  const layouts = await Promise.race([layoutInWorker(chart), timeout]);
  clearTimeout(timer);
  return layouts;
}

/** True if a value has the shape of a chart with at least one state. */
export function isChart(value: unknown): value is Chart {
  if (typeof value !== "object" || value === null) return false;
  const { nodes, edges } = value as Partial<Chart>;
  return Array.isArray(nodes) && nodes.length > 0 && Array.isArray(edges);
}
