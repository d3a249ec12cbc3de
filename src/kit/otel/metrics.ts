import type { Counter, Histogram, Meter, UpDownCounter } from "@opentelemetry/api";
import type { Usage } from "../../core/message/types.ts";
import { GEN_AI, METRIC } from "./names.ts";

/** Attributes of a measure. */
export type Labels = { readonly [name: string]: string };

/** The instruments of a meter. */
export class Metrics {
  readonly duration: Histogram;
  readonly firstChunk: Histogram;
  readonly tool: Histogram;
  readonly agent: Histogram;
  readonly state: Histogram;
  readonly turns: Counter;
  readonly retries: Counter;
  readonly compactions: Counter;
  readonly edges: Counter;
  readonly suspended: UpDownCounter;
  readonly #tokens: readonly (readonly [keyof Usage, Counter])[];
  readonly #perCall: readonly (readonly [keyof Usage, Histogram])[];

  constructor(meter: Meter) {
    const histogram = ([name, unit, description]: readonly [string, string, string]) =>
      meter.createHistogram(name, { unit, description });
    const counter = ([name, unit, description]: readonly [string, string, string]) =>
      meter.createCounter(name, { unit, description });
    this.duration = histogram(METRIC.duration);
    this.firstChunk = histogram(METRIC.firstChunk);
    this.tool = histogram(METRIC.tool);
    this.agent = histogram(METRIC.agent);
    this.state = histogram(METRIC.state);
    this.turns = counter(METRIC.turns);
    this.retries = counter(METRIC.retries);
    this.compactions = counter(METRIC.compactions);
    this.edges = counter(METRIC.edges);
    const [name, unit, description] = METRIC.suspended;
    this.suspended = meter.createUpDownCounter(name, { unit, description });
    this.#tokens = [
      ["inputTokens", counter(METRIC.inputTokens)],
      ["outputTokens", counter(METRIC.outputTokens)],
      ["cachedInputTokens", counter(METRIC.cacheRead)],
      ["cacheWriteTokens", counter(METRIC.cacheWrite)],
      ["reasoningTokens", counter(METRIC.reasoningTokens)],
    ];
    this.#perCall = [
      ["inputTokens", histogram(METRIC.inputPerCall)],
      ["outputTokens", histogram(METRIC.outputPerCall)],
    ];
  }

  /** False if nothing is measured: a meter without a provider gives the same instrument for all names. */
  get isOn(): boolean {
    return this.turns !== this.retries;
  }

  /** Adds the tokens of one attempt; none are known of one that was cut off. */
  addUsage(usage: Usage | undefined, labels: Labels): void {
    const counted = { ...labels, [GEN_AI.modality]: "unknown" };
    for (const [key, counter] of this.#tokens) counter.add(Number(usage?.[key] ?? 0), counted);
    if (!usage) return;
    for (const [key, histogram] of this.#perCall) {
      if (usage[key] !== undefined) histogram.record(Number(usage[key]), labels);
    }
  }
}
