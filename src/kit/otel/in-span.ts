import { SpanKind, type Attributes, type Tracer } from "@opentelemetry/api";
import { errorInfo } from "../../core/base/error.ts";
import { GEN_AI, OWN, SEMCONV } from "./names.ts";
import { fail } from "./observed.ts";

/** Runs an operation of a store in a span of its own, below the active one. `describe` says what of the result the span has. */
export async function inSpan<T>(
  tracer: Tracer,
  operation: string,
  run: () => Promise<T>,
  describe: (result: T) => Attributes,
): Promise<T> {
  const attributes = { [GEN_AI.operation]: operation, [OWN.semconv]: SEMCONV };
  return tracer.startActiveSpan(operation, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      const result = await run();
      span.setAttributes(describe(result));
      return result;
    } catch (error) {
      fail(span, errorInfo(error, "store/failed").code);
      throw error;
    } finally {
      span.end();
    }
  });
}
