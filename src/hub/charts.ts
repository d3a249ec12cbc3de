import type { Chart } from "../chart/chart-json.ts";
import type { ChartMessage } from "../inspect/protocol.ts";
import { layoutInWorker } from "../layout/layout-in-worker.ts";

const MOST_CHARTS = 200;

type ChartOf = { readonly hash: string; readonly chart: Chart };

/** The charts of all runs, laid out once each, and that of this release. */
export class Charts {
  readonly #own: ChartOf;
  readonly #charts = new Map<string, Chart>();

  constructor(own: ChartOf) {
    this.#own = own;
  }

  take(hash: string, chart: Chart): void {
    if (this.#charts.has(hash) || !isChart(chart)) return;
    this.#charts.set(hash, chart);
    if (this.#charts.size > MOST_CHARTS) this.#charts.delete(this.#charts.keys().next().value!);
  }

  chart(hash: string): Chart | undefined {
    return this.#own.hash === hash ? this.#own.chart : this.#charts.get(hash);
  }

  /** A chart with its layouts; undefined if nobody gave it. */
  async get(hash: string): Promise<ChartMessage | undefined> {
    const chart = this.chart(hash);
    return chart && placed({ hash, chart });
  }

  /** The chart of this release with its layouts. */
  own(): Promise<ChartMessage> {
    return placed(this.#own);
  }
}

async function placed({ hash, chart }: ChartOf): Promise<ChartMessage> {
  return { type: "chart", hash, chart, layouts: await layoutInWorker(chart) };
}

export function isChart(value: unknown): value is Chart {
  if (typeof value !== "object" || value === null) return false;
  const { nodes, edges } = value as Partial<Chart>;
  return Array.isArray(nodes) && nodes.length > 0 && Array.isArray(edges);
}
