import { LRUCache } from "lru-cache";
import { endsWithin } from "../../store/deadlines.ts";
import type { Chart } from "../../core/diagram/chart-json.ts";
import type { ChartMessage } from "../protocol/protocol.ts";
import type { Layouts } from "../../core/diagram/layout.ts";
import { layoutInWorker } from "../../core/diagram/layout-in-worker.ts";
import { ownChart } from "../client/own-chart.ts";

const MAX_CHARTS = 200;
/** A chart whose layout takes longer is displayed as an outline first, ms. */
const LAYOUT_WAIT_MS = 2_000;

/** The charts of all runs, laid out once each, and the chart of this release. */
export class ChartRegistry {
  readonly #charts = new LRUCache<string, Chart>({ max: MAX_CHARTS });

  /** Adds a chart of a worker; ignores values that are not charts. */
  add(hash: string, chart: Chart): void {
    if (!this.#charts.get(hash) && isChart(chart)) this.#charts.set(hash, chart);
  }

  /** Resolves to the chart with this hash, or to undefined if it is unknown. */
  async chart(hash: string): Promise<Chart | undefined> {
    const known = this.#charts.get(hash);
    if (known) return known;
    const own = await ownChart();
    return own.hash === hash ? own.chart : undefined;
  }

  /** Resolves to a chart, with its layouts if they are computed in time; undefined for an unknown hash. */
  async get(hash: string): Promise<ChartMessage | undefined> {
    const chart = await this.chart(hash);
    return chart && { type: "chart", hash, chart, layouts: await layoutsInTime(chart) };
  }

  /** Resolves to the chart of this release with its layouts. */
  async own(): Promise<ChartMessage> {
    const own = await ownChart();
    return { type: "chart", ...own, layouts: await layoutInWorker(own.chart) };
  }
}

/** Resolves to the layouts of a chart, or to null after two seconds; the computation continues. */
async function layoutsInTime(chart: Chart): Promise<Layouts | null> {
  const layouts = layoutInWorker(chart);
  return (await endsWithin(layouts, LAYOUT_WAIT_MS)) ? layouts : null;
}

/** True if a value has the shape of a chart with at least one state. */
export function isChart(value: unknown): value is Chart {
  if (typeof value !== "object" || value === null) return false;
  const { nodes, edges } = value as Partial<Chart>;
  return Array.isArray(nodes) && nodes.length > 0 && Array.isArray(edges);
}
