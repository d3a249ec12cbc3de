import type { Chart } from "../../diagram/chart-json.ts";
import type { ChartMessage } from "../protocol/protocol.ts";
import type { Layouts } from "../../diagram/layout.ts";
import { layoutInWorker } from "../../diagram/layout-in-worker.ts";

const MOST_CHARTS = 200;
/** After this a chart is shown as an outline until it is laid out. */
const SOON_MS = 2_000;

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

  /** A chart with its layouts if they are done soon; undefined if nobody gave it. */
  async get(hash: string): Promise<ChartMessage | undefined> {
    const chart = this.chart(hash);
    return chart && { type: "chart", hash, chart, layouts: await layoutsSoon(chart) };
  }

  /** The chart of this release with its layouts. */
  async own(): Promise<ChartMessage> {
    return { type: "chart", ...this.#own, layouts: await layoutInWorker(this.#own.chart) };
  }
}

/** The layouts of a chart; null if they take longer than a person waits for a picture. They are gone on with. */
async function layoutsSoon(chart: Chart): Promise<Layouts | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), SOON_MS);
  const layouts = await Promise.race([layoutInWorker(chart), late]);
  clearTimeout(timer);
  return layouts;
}

export function isChart(value: unknown): value is Chart {
  if (typeof value !== "object" || value === null) return false;
  const { nodes, edges } = value as Partial<Chart>;
  return Array.isArray(nodes) && nodes.length > 0 && Array.isArray(edges);
}
