import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Tracer,
} from "@opentelemetry/api";
import type { ChartStep } from "../agent/steps.ts";
import type {
  Observation,
  ObservedAnswer,
  ObservedCall,
  ObservedEnd,
  ObservedModelCall,
  ObservedSession,
  SessionTelemetry,
} from "../agent/telemetry.ts";
import type { Usage } from "../message/types.ts";
import type { Tool } from "../tool/types.ts";
import type { ToolInput, ToolRunOutcome } from "../../machines/agent/services.ts";
import { chatAttributes, modelAttributes, toolAttributes, usageAttributes } from "./attributes.ts";
import { Content } from "./content.ts";
import type { Metrics } from "./metrics.ts";
import { GEN_AI, OPERATION, OTHER, OWN, SEMCONV } from "./names.ts";
import { fail, Observed, type OpenSpan } from "./observed.ts";
import type { OtelOptions } from "./options.ts";
import { StateSpans } from "./state-spans.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

type Turn = OpenSpan & { readonly finishReasons: string[]; usage: Usage };

const SUMMED = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const;

function sumOf(one: Usage, other: Usage): Usage {
  const sums = SUMMED.flatMap((key) => {
    const isKnown = one[key] !== undefined || other[key] !== undefined;
    return isKnown ? [[key, (one[key] ?? 0) + (other[key] ?? 0)]] : [];
  });
  return Object.fromEntries(sums) as Usage;
}

/** The spans and metrics of one session in this process. */
export class SessionSpans implements SessionTelemetry {
  readonly #session: ObservedSession;
  readonly #tracer: Tracer;
  readonly #metrics: Metrics | undefined;
  readonly #hasModelSpans: boolean;
  readonly #content: Content | undefined;
  readonly #common: Attributes;
  readonly #states: StateSpans;
  readonly #open = new Set<Observed<never>>();
  #turn: Turn | undefined;
  #startedAt = 0;
  #unwatch: (() => void) | undefined;

  constructor(
    session: ObservedSession,
    tracer: Tracer,
    metrics: Metrics | undefined,
    { content = false, redact, states = "events", model = true, edges = false }: OtelOptions,
  ) {
    const { name, sessionId, redact: agents } = session;
    this.#session = session;
    this.#tracer = tracer;
    this.#metrics = metrics;
    this.#hasModelSpans = model;
    this.#content = content ? new Content(redact, agents) : undefined;
    this.#common = { [GEN_AI.agent]: name, [GEN_AI.conversation]: sessionId, [OWN.semconv]: SEMCONV };
    this.#states = new StateSpans({
      start: (title, attributes, parent) => this.#start(title, SpanKind.INTERNAL, attributes, parent),
      turn: () => this.#turn,
      states,
      metrics,
      edges,
      common: this.#common,
    });
    this.#watch();
  }

  /** Follows the steps of the chart from now on. */
  #watch(): void {
    this.#unwatch ??= this.#session.steps.subscribe((step) => this.#follow(step));
  }

  /** Without a provider nothing is followed, until a turn begins that has one. */
  #rest(): void {
    if (this.#metrics) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  #follow(step: ChartStep): void {
    const { compacting } = step.context.progress;
    if (this.#turn || this.#metrics || compacting || this.#states.isCompacting) this.#states.follow(step);
    else this.#states.skip(step);
  }

  beginTurn({ turn, goesOn, trace: stored }: ObservedCall): string | undefined {
    const { name, model } = this.#session;
    const first = goesOn ? parseTraceparent(stored) : undefined;
    const active = context.active();
    const caller = trace.getSpanContext(active);
    const links: Link[] = first ? [{ context: first }] : [];
    if (first && caller && isSpanContextValid(caller) && caller.traceId !== first.traceId)
      links.push({ context: caller });
    const parent = first ? trace.setSpanContext(active, first) : active;
    const attributes = {
      [GEN_AI.operation]: OPERATION.agent,
      ...this.#common,
      ...modelAttributes(model),
      [OWN.turn]: turn,
      [OWN.resumed]: goesOn,
    };
    this.#startedAt = performance.now();
    const span = this.#tracer.startSpan(
      `${OPERATION.agent} ${name}`,
      { kind: SpanKind.INTERNAL, attributes, links },
      parent,
    );
    const found = span.spanContext();
    const hasProvider = isSpanContextValid(found) && found.spanId !== first?.spanId;
    if (!hasProvider) {
      this.#rest();
      return undefined;
    }
    if (!this.#unwatch) {
      this.#states.skip(this.#session.steps.current());
      this.#watch();
    }
    this.#turn = { span, inside: trace.setSpan(parent, span), finishReasons: [], usage: {} };
    return first && stored !== undefined ? stored : formatTraceparent(found);
  }

  endTurn({ reason, error }: ObservedEnd): void {
    if (!this.#unwatch) return;
    const labels = { [GEN_AI.agent]: this.#session.name };
    const failed = error ? { [GEN_AI.errorType]: error.code } : {};
    this.#metrics?.turns.add(1, { ...labels, [OWN.reason]: reason });
    this.#metrics?.agent.record((performance.now() - this.#startedAt) / 1_000, { ...labels, ...failed });
    const turn = this.#turn;
    this.#turn = undefined;
    for (const each of this.#open) each.end(undefined);
    this.#states.endTurn();
    if (!turn) return;
    const { span, usage, finishReasons } = turn;
    const { state, context: chart } = this.#session.steps.current();
    span.setAttributes({
      [OWN.reason]: reason,
      [OWN.state]: state,
      [OWN.iterations]: chart.progress.stats.iterations,
      ...usageAttributes(usage),
      ...(finishReasons.length > 0 && { [GEN_AI.finishReasons]: finishReasons }),
    });
    if (error && reason !== "SHUTDOWN") fail(span, error.code); // it goes on in another process
    if (error && this.#content) span.setAttributes(this.#content.text(OWN.errorMessage, error.message));
    span.end();
  }

  within<T>(run: () => T): T {
    return this.#turn ? context.with(this.#turn.inside, run) : run();
  }

  model(call: ObservedModelCall): Observation<ObservedAnswer> | undefined {
    if (!this.#unwatch) return undefined;
    const { model, request, phase, attempt } = call;
    const parent = this.#states.inside ?? (phase === "compaction" ? ROOT_CONTEXT : undefined);
    const attributes =
      parent && this.#hasModelSpans ? { ...chatAttributes(call), ...this.#common } : undefined;
    const title = `${OPERATION.chat} ${model.name}`;
    const open = attributes && this.#start(title, SpanKind.CLIENT, attributes, parent!);
    if (!open && !this.#metrics) return undefined;
    if (open?.span.isRecording() && this.#content) open.span.setAttributes(this.#content.request(request));
    const turn = this.#turn;
    const labels = {
      [GEN_AI.operation]: OPERATION.chat,
      [GEN_AI.provider]: model.provider ?? OTHER,
      [GEN_AI.requestModel]: model.name,
    };
    if (attempt > 1) this.#metrics?.retries.add(1, labels);
    return this.#keep<ObservedAnswer>({
      open,
      first: (seconds) => {
        open?.span.setAttribute(GEN_AI.firstChunk, seconds).addEvent(OWN.firstPart);
        this.#metrics?.firstChunk.record(seconds, labels);
      },
      end: (answer, seconds) => {
        const failed = answer?.error ? { [GEN_AI.errorType]: answer.error.code } : {};
        this.#metrics?.duration.record(seconds, { ...labels, ...failed });
        this.#metrics?.addUsage(answer?.usage, labels);
        if (turn && answer?.usage) turn.usage = sumOf(turn.usage, answer.usage);
        if (turn && answer && !answer.isCutOff && !answer.error) turn.finishReasons.push(answer.finishReason);
        if (open) this.#endChat(open, answer);
      },
    });
  }

  #endChat({ span }: OpenSpan, answer: ObservedAnswer | undefined): void {
    if (!answer || answer.isCutOff) span.setAttribute(OWN.cutOff, true);
    if (!answer) return;
    const { usage, message, finishReason, error } = answer;
    const id = message?.metadata["responseId"];
    span.setAttributes({
      ...(usage && usageAttributes(usage)),
      [GEN_AI.finishReasons]: [finishReason],
      ...(typeof id === "string" && { [GEN_AI.responseId]: id }),
      ...(message && this.#content?.answer(message, finishReason)),
      ...(error && this.#content?.text(OWN.errorMessage, error.message)),
    });
    if (error) fail(span, error.code);
  }

  tool(input: ToolInput, tool: Tool<never> | undefined): Observation<ToolRunOutcome> | undefined {
    if (!this.#unwatch) return undefined;
    const parent = this.#turn && this.#states.inside;
    if (!parent && !this.#metrics) return undefined;
    const title = tool ? `${OPERATION.tool} ${tool.name}` : OPERATION.tool;
    const attributes = parent && { ...toolAttributes(input, tool, this.#session.sessionId), ...this.#common };
    const open = parent && this.#start(title, SpanKind.INTERNAL, attributes!, parent);
    if (open?.span.isRecording() && this.#content)
      open.span.setAttributes(this.#content.arguments(input.call.input));
    const labels = { [GEN_AI.operation]: OPERATION.tool, [GEN_AI.tool]: tool?.name ?? OTHER };
    if (input.attempt > 1) this.#metrics?.retries.add(1, labels);
    return this.#keep<ToolRunOutcome>({
      open,
      end: (outcome, seconds) => {
        const result = outcome?.result;
        const isFailed = result?.state === "error" || result?.state === "denied";
        const type = isFailed ? (result.code ?? `tool/${result.state}`) : undefined;
        this.#metrics?.tool.record(seconds, { ...labels, ...(type && { [GEN_AI.errorType]: type }) });
        if (!open) return;
        open.span.setAttribute(OWN.result, outcome?.suspension ? "suspended" : (result?.state ?? "unknown"));
        if (!outcome) open.span.setAttribute(OWN.cutOff, true);
        if (result && this.#content) open.span.setAttributes(this.#content.result(result));
        if (type !== undefined) fail(open.span, type);
      },
    });
  }

  #keep<O>(parts: ConstructorParameters<typeof Observed<O>>[0]): Observation<O> {
    const observed = new Observed<O>({
      ...parts,
      end: (outcome, seconds) => {
        this.#open.delete(observed as Observed<never>);
        parts.end(outcome, seconds);
      },
    });
    this.#open.add(observed as Observed<never>);
    return observed;
  }

  /** Undefined if there is no provider. */
  #start(title: string, kind: SpanKind, attributes: Attributes, parent: Context): OpenSpan | undefined {
    const span = this.#tracer.startSpan(title, { kind, attributes }, parent);
    return isSpanContextValid(span.spanContext()) ? { span, inside: trace.setSpan(parent, span) } : undefined;
  }
}
