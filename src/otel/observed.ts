import { context, SpanStatusCode, type Context, type Span } from "@opentelemetry/api";
import type { Observation } from "../agent/telemetry.ts";
import { GEN_AI } from "./names.ts";
import { formatTraceparent } from "./traceparent.ts";

/** A span and the context of what runs in it. */
export type OpenSpan = { readonly span: Span; readonly inside: Context };

/** Says that what a span is about has failed. */
export function fail(span: Span, type: string): void {
  span.setAttribute(GEN_AI.errorType, type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

type Parts<Outcome> = {
  readonly open: OpenSpan | undefined;
  readonly first?: (seconds: number) => void;
  /** Called once, before the span ends. */
  readonly end: (outcome: Outcome | undefined, seconds: number) => void;
};

/** One attempt of a model call or a tool call. */
export class Observed<Outcome> implements Observation<Outcome> {
  readonly #parts: Parts<Outcome>;
  readonly #startedAt = performance.now();
  #hasBegun = false;
  #isOver = false;

  constructor(parts: Parts<Outcome>) {
    this.#parts = parts;
  }

  get traceparent(): string | undefined {
    const { open } = this.#parts;
    return open && formatTraceparent(open.span.spanContext());
  }

  run<T>(run: () => T): T {
    const { open } = this.#parts;
    return open ? context.with(open.inside, run) : run();
  }

  first(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#parts.first?.(this.#seconds);
  }

  end(outcome: Outcome | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.end(outcome, this.#seconds);
    this.#parts.open?.span.end();
  }

  get #seconds(): number {
    return (performance.now() - this.#startedAt) / 1_000;
  }
}
