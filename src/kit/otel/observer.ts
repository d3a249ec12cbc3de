import { metrics, trace } from "@opentelemetry/api";
import type { Telemetry } from "../../agent/telemetry.ts";
import { check } from "../../core/base/options.ts";
import { Metrics } from "./metrics.ts";
import { SCOPE } from "./names.ts";
import { otelSchema, type OtelOptions } from "./options.ts";
import { SessionSpans } from "./session-spans.ts";

/**
 * Returns the observer that `createAgent({ otel })` takes. It makes spans and metrics of the turns of agents, after the conventions of
 * OpenTelemetry for generative AI. A turn is a span `invoke_agent`; below it are `chat` for each attempt of a model call, `execute_tool`
 * for each attempt of a tool call, in which the tool itself runs, and `compaction`. A turn that is suspended ends its span; when it goes
 * on, in whichever process, a new span belongs to the same trace. Without a provider of OpenTelemetry nothing is made. Throws
 * `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel } from "agentchart";
 * import { otelObserver } from "agentchart/otel";
 *
 * const otel = otelObserver({ states: "events" });
 *
 * export const agentOf = (model: ChatModel) => createAgent({ name: "desk", model, otel });
 * ```
 */
export function otelObserver(options: OtelOptions = {}): Telemetry {
  check(otelSchema(), options, "otelObserver");
  const { tracer = trace.getTracer(SCOPE) } = options;
  let instruments: Metrics | undefined;
  return {
    observe(session) {
      if (!instruments?.isOn) instruments = new Metrics(options.meter ?? metrics.getMeter(SCOPE));
      return new SessionSpans(session, tracer, instruments.isOn ? instruments : undefined, options);
    },
  };
}
