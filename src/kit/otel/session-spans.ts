import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import type { ChartStep } from "../../agent/steps.ts";
import type {
  Observation,
  ObservedAnswer,
  ObservedCall,
  ObservedEnd,
  ObservedModelCall,
  ObservedSession,
  SessionTelemetry,
} from "../../agent/telemetry.ts";
import type { TakeOver } from "../../core/message/types.ts";
import type { AnyTool } from "../../core/tool/types.ts";
import type { ToolInput, ToolRunOutcome } from "../../../machines/agent/services.ts";
import { ModelAttempt, ToolAttempt, type Sums } from "./attempts.ts";
import {
  chatAttributes,
  modelAttributes,
  setCall,
  setRequest,
  setTokens,
  toolAttributes,
} from "./attributes.ts";
import { Content } from "./content.ts";
import type { Metrics } from "./metrics.ts";
import { GEN_AI, OPERATION, OTHER, OWN, SEMCONV } from "./names.ts";
import { fail, Observed, type OpenSpan } from "./observed.ts";
import type { OtelOptions } from "./options.ts";
import { StateSpans } from "./state-spans.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

type Turn = OpenSpan & Sums;

/** The spans and metrics of one session in this process. */
export class SessionSpans implements SessionTelemetry {
  readonly #session: ObservedSession;
  readonly #tracer: Tracer;
  readonly #metrics: Metrics | undefined;
  readonly #hasModelSpans: boolean;
  readonly #content: Content | undefined;
  readonly #common: Attributes;
  readonly #states: StateSpans;
  readonly #running = new Set<Observed<never>>();
  #turn: Turn | undefined;
  /** The take-over of the session, until a turn tells it. */
  #takeOver: TakeOver | undefined;
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
    this.#takeOver = step.account?.takeOver ?? this.#takeOver;
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
    this.#turn = { span, inside: trace.setSpan(parent, span), finishReasons: [], tokens: {} };
    this.#tellTakeOver(span);
    return first && stored !== undefined ? stored : formatTraceparent(found);
  }

  /** Tells in the first turn of this process that the session was taken over. */
  #tellTakeOver(span: Span): void {
    if (!this.#takeOver) return;
    const { from, by, takeovers, isUnfinished } = this.#takeOver;
    this.#takeOver = undefined;
    const attributes = { [OWN.takenFrom]: from, [OWN.takenBy]: by };
    span.addEvent(OWN.taken, { ...attributes, [OWN.takeovers]: takeovers, [OWN.isUnfinished]: isUnfinished });
  }

  endTurn(end: ObservedEnd): void {
    const { reason, error } = end;
    if (!this.#unwatch) return;
    if (this.#metrics) {
      const labels = { [GEN_AI.agent]: this.#session.name };
      const failed = error ? { [GEN_AI.errorType]: error.code } : {};
      this.#metrics.turns.add(1, { ...labels, [OWN.reason]: reason });
      this.#metrics.agent.record((performance.now() - this.#startedAt) / 1_000, { ...labels, ...failed });
    }
    const turn = this.#turn;
    this.#turn = undefined;
    for (const each of this.#running) each.end(undefined);
    this.#states.endTurn();
    if (!turn) return;
    if (turn.span.isRecording()) this.#describe(turn, end);
    turn.span.end();
  }

  #describe({ span, tokens, finishReasons }: Turn, { reason, error }: ObservedEnd): void {
    const { state, context: chart } = this.#session.steps.current();
    span.setAttribute(OWN.reason, reason);
    span.setAttribute(OWN.state, state);
    span.setAttribute(OWN.iterations, chart.progress.stats.iterations);
    setTokens(span, tokens);
    if (finishReasons.length > 0) span.setAttribute(GEN_AI.finishReasons, finishReasons);
    if (error && reason !== "SHUTDOWN") fail(span, error.code); // it goes on in another process
    if (error && this.#content) span.setAttributes(this.#content.text(OWN.errorMessage, error.message));
  }

  within<T>(run: () => T): T {
    return this.#turn ? context.with(this.#turn.inside, run) : run();
  }

  model(call: ObservedModelCall): Observation<ObservedAnswer> | undefined {
    if (!this.#unwatch) return undefined;
    const { model, request, phase, attempt } = call;
    const metrics = this.#metrics;
    const parent = this.#states.inside ?? (phase === "compaction" ? ROOT_CONTEXT : undefined);
    const title = `${OPERATION.chat} ${model.name}`;
    const open =
      parent && this.#hasModelSpans
        ? this.#start(title, SpanKind.CLIENT, chatAttributes(model), parent)
        : undefined;
    if (!open && !metrics) return undefined;
    if (open?.span.isRecording()) {
      setRequest(open.span, call);
      if (this.#content) open.span.setAttributes(this.#content.request(request));
    }
    const labels = metrics && {
      [GEN_AI.operation]: OPERATION.chat,
      [GEN_AI.provider]: model.provider ?? OTHER,
      [GEN_AI.requestModel]: model.name,
    };
    if (attempt > 1) metrics?.retries.add(1, labels);
    const measured = metrics && { metrics, labels: labels! };
    return new ModelAttempt(open, this.#running, { sums: this.#turn, content: this.#content, measured });
  }

  tool(input: ToolInput, tool: AnyTool | undefined): Observation<ToolRunOutcome> | undefined {
    if (!this.#unwatch) return undefined;
    const metrics = this.#metrics;
    const parent = this.#turn && this.#states.inside;
    if (!parent && !metrics) return undefined;
    const title = tool ? `${OPERATION.tool} ${tool.name}` : OPERATION.tool;
    const open = parent && this.#start(title, SpanKind.INTERNAL, toolAttributes(tool), parent);
    if (open?.span.isRecording()) {
      setCall(open.span, input, tool, this.#session.sessionId);
      if (this.#content) open.span.setAttributes(this.#content.arguments(input.call.input));
      const person = input.account?.decided?.findLast(({ by }) => by !== undefined)?.by;
      if (this.#content && person !== undefined)
        open.span.setAttributes(this.#content.text(OWN.decidedBy, person));
    }
    const labels = metrics && { [GEN_AI.operation]: OPERATION.tool, [GEN_AI.tool]: tool?.name ?? OTHER };
    if (input.attempt > 1) metrics?.retries.add(1, labels);
    const measured = metrics && { metrics, labels: labels! };
    return new ToolAttempt(open, this.#running, { content: this.#content, measured });
  }

  /** Undefined if there is no provider. A span that is recorded says whose it is. */
  #start(title: string, kind: SpanKind, attributes: Attributes, parent: Context): OpenSpan | undefined {
    const span = this.#tracer.startSpan(title, { kind, attributes }, parent);
    if (!isSpanContextValid(span.spanContext())) return undefined;
    if (span.isRecording()) span.setAttributes(this.#common);
    return { span, inside: trace.setSpan(parent, span) };
  }
}
