import type { Meter, Tracer } from "@opentelemetry/api";
import * as s from "../../core/base/option-schema.ts";
import type { Json } from "../../core/base/json.ts";

/** Options of {@link otelObserver}. */
export type OtelOptions = {
  /** Default: the tracer `agentchart` of the global provider. */
  readonly tracer?: Tracer | undefined;
  /** Default: the meter `agentchart` of the global provider, which must be there before the agent is created. */
  readonly meter?: Meter | undefined;
  /** True: spans also hold what was said: messages, system prompts, tool schemas, arguments and results, each attribute of at most
   *  16 KB. Default false: no text of users, models and tools leaves the process, error messages included. */
  readonly content?: boolean | undefined;
  /** Applied to content, after the agent's own `sessionOptions.redact`. Default: `redactSecrets`. If it throws, the content is left out. */
  readonly redact?: ((value: Json) => Json) | undefined;
  /** Transitions of the chart: `events` (default) of the span of the turn, `spans` for each top-level state, or `off`. */
  readonly states?: "events" | "spans" | "off" | undefined;
  /** False: model calls have no spans, because an instrumentation of the provider's client makes them. Default true. */
  readonly model?: boolean | undefined;
  /** True: the metric `agentchart.edges` counts each edge of the chart that is taken. Default false. */
  readonly edges?: boolean | undefined;
};

/** The schema of {@link OtelOptions}. */
export const otelSchema = s.lazily(() =>
  s.options<OtelOptions>({
    tracer: s.optional(s.having("startSpan", "a tracer of @opentelemetry/api")),
    meter: s.optional(s.having("createCounter", "a meter of @opentelemetry/api")),
    content: s.optional(s.boolean()),
    redact: s.optional(s.func()),
    states: s.optional(s.oneOf("events", "spans", "off")),
    model: s.optional(s.boolean()),
    edges: s.optional(s.boolean()),
  }),
);
