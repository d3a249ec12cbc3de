import type { Chart } from "../chart/chart-json.ts";
import type { ChartMessage } from "../inspect/protocol.ts";
import { layoutInWorker } from "../layout/layout-in-worker.ts";

const MOST_CHARTS = 200;

/** The charts of all runs, laid out once each. */
export class Charts {
  readonly #charts = new Map<string, Chart>();

  take(hash: string, chart: Chart): void {
    if (this.#charts.has(hash) || !isChart(chart)) return;
    this.#charts.set(hash, chart);
    if (this.#charts.size > MOST_CHARTS) this.#charts.delete(this.#charts.keys().next().value!);
  }

  chart(hash: string): Chart | undefined {
    return this.#charts.get(hash);
  }

  /** A chart with its layouts; undefined if nobody gave it. */
  async get(hash: string): Promise<ChartMessage | undefined> {
    const chart = this.#charts.get(hash);
    if (!chart) return undefined;
    return { type: "chart", hash, chart, layouts: await layoutInWorker(chart) };
  }
}

export function isChart(value: unknown): value is Chart {
  if (typeof value !== "object" || value === null) return false;
  const { nodes, edges } = value as Partial<Chart>;
  return Array.isArray(nodes) && nodes.length > 0 && Array.isArray(edges);
}
