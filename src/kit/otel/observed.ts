import { context, SpanStatusCode, type Context, type Span } from "@opentelemetry/api";
import type { Observation } from "../../agent/telemetry.ts";
import { GEN_AI } from "./names.ts";
import { formatTraceparent } from "./traceparent.ts";

/** A span and the context of what runs in it. */
export type OpenSpan = { readonly span: Span; readonly inside: Context };

/** Says that what a span is about has failed. */
export function fail(span: Span, type: string): void {
  span.setAttribute(GEN_AI.errorType, type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** One attempt of a model call or a tool call. It is in `running` until it ends. */
export abstract class Observed<Outcome> implements Observation<Outcome> {
  readonly #startedAt = performance.now();
  readonly #open: OpenSpan | undefined;
  readonly #running: Set<Observed<never>>;
  #hasBegun = false;

  constructor(open: OpenSpan | undefined, running: Set<Observed<never>>) {
    this.#open = open;
    this.#running = running;
    running.add(this);
  }

  /** Called with the first part of an answer. `span` is undefined if it is not recorded. */
  protected onFirst(_span: Span | undefined): void {}
  /** Called once, before the span ends. */
  protected abstract onEnd(outcome: Outcome | undefined, span: Span | undefined): void;

  get traceparent(): string | undefined {
    return this.#open && formatTraceparent(this.#open.span.spanContext());
  }

  run<T>(run: () => T): T {
    return this.#open ? context.with(this.#open.inside, run) : run();
  }

  first(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.onFirst(this.#recording);
  }

  end(outcome: Outcome | undefined): void {
    if (!this.#running.delete(this)) return;
    this.onEnd(outcome, this.#recording);
    this.#open?.span.end();
  }

  /** Time since it began. */
  protected get seconds(): number {
    return (performance.now() - this.#startedAt) / 1_000;
  }

  get #recording(): Span | undefined {
    return this.#open?.span.isRecording() ? this.#open.span : undefined;
  }
}
