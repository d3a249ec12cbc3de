import type { Span } from "@opentelemetry/api";
import type { ObservedAnswer } from "../../agent/telemetry.ts";
import type { ToolRunOutcome } from "../../../machines/agent/services.ts";
import { addTokens, setTokens, type TokenCounts } from "./attributes.ts";
import type { Content } from "./content.ts";
import type { Labels, Metrics } from "./metrics.ts";
import { GEN_AI, OWN } from "./names.ts";
import { fail, Observed, type OpenSpan } from "./observed.ts";

/** The sums of the attempts of a turn. */
export type Sums = { readonly finishReasons: string[]; readonly tokens: TokenCounts };

type Running = Set<Observed<never>>;

/** The content and the measures that are told of an attempt. */
type Told = {
  readonly content: Content | undefined;
  readonly measured: { readonly metrics: Metrics; readonly labels: Labels } | undefined;
};

/** Labels of a measure of something that may have failed. */
const withError = (labels: Labels, code: string | undefined): Labels =>
  code === undefined ? labels : { ...labels, [GEN_AI.errorType]: code };

/** One attempt of a model call. */
export class ModelAttempt extends Observed<ObservedAnswer> {
  readonly #told: Told & { readonly sums: Sums | undefined };

  constructor(
    open: OpenSpan | undefined,
    running: Running,
    told: Told & { readonly sums: Sums | undefined },
  ) {
    super(open, running);
    this.#told = told;
  }

  protected override onFirst(span: Span | undefined): void {
    const { seconds } = this;
    const { measured } = this.#told;
    span?.setAttribute(GEN_AI.firstChunk, seconds).addEvent(OWN.firstPart);
    measured?.metrics.firstChunk.record(seconds, measured.labels);
  }

  protected override onEnd(answer: ObservedAnswer | undefined, span: Span | undefined): void {
    const { measured, sums } = this.#told;
    if (measured) {
      const { metrics, labels } = measured;
      metrics.duration.record(this.seconds, withError(labels, answer?.error?.code));
      metrics.addUsage(answer?.usage, labels);
    }
    if (sums && answer) {
      if (answer.usage) addTokens(sums.tokens, answer.usage);
      if (!answer.isCutOff && !answer.error) sums.finishReasons.push(answer.finishReason);
    }
    if (span) this.#describe(span, answer);
  }

  #describe(span: Span, answer: ObservedAnswer | undefined): void {
    if (!answer || answer.isCutOff) span.setAttribute(OWN.cutOff, true);
    if (!answer) return;
    const { content } = this.#told;
    const { usage, message, finishReason, error } = answer;
    const id = message?.metadata["responseId"];
    if (usage) setTokens(span, usage);
    span.setAttribute(GEN_AI.finishReasons, [finishReason]);
    if (typeof id === "string") span.setAttribute(GEN_AI.responseId, id);
    if (message && content) span.setAttributes(content.answer(message, finishReason));
    if (error && content) span.setAttributes(content.text(OWN.errorMessage, error.message));
    if (error) fail(span, error.code);
  }
}

/** One attempt of a call of a tool. */
export class ToolAttempt extends Observed<ToolRunOutcome> {
  readonly #told: Told;

  constructor(open: OpenSpan | undefined, running: Running, told: Told) {
    super(open, running);
    this.#told = told;
  }

  protected override onEnd(outcome: ToolRunOutcome | undefined, span: Span | undefined): void {
    const result = outcome?.result;
    const isFailed = result?.state === "error" || result?.state === "denied";
    const type = isFailed ? (result.code ?? `tool/${result.state}`) : undefined;
    const { measured, content } = this.#told;
    measured?.metrics.tool.record(this.seconds, withError(measured.labels, type));
    if (!span) return;
    span.setAttribute(OWN.result, outcome?.suspension ? "suspended" : (result?.state ?? "unknown"));
    if (!outcome) span.setAttribute(OWN.cutOff, true);
    if (result && content) span.setAttributes(content.result(result));
    if (type !== undefined) fail(span, type);
  }
}
