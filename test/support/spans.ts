import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { context, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace";

/** Makes `context.with` work in this process, as an SDK does. */
export function useContexts(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

/** A tracer whose spans are kept. */
export function recordedSpans(): { readonly tracer: Tracer; readonly spans: () => readonly ReadableSpan[] } {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  return { tracer: provider.getTracer("test"), spans: () => exporter.getFinishedSpans() };
}

const startOf = ({ startTime: [seconds, nanos] }: ReadableSpan): number => seconds * 1e9 + nanos;

/** The spans as an indented tree, children in the order of their start. `of` says what is shown of a span behind its name. */
export function treeOf(
  spans: readonly ReadableSpan[],
  of: (span: ReadableSpan) => string = ({ attributes, status }) =>
    [
      attributes["agentchart.reason"],
      attributes["agentchart.result"],
      attributes["error.type"],
      status.code === SpanStatusCode.ERROR ? "ERROR" : undefined,
    ]
      .filter((part) => part !== undefined)
      .join(" "),
): readonly string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const below = (parent: string | undefined, depth: number): readonly string[] =>
    spans
      .filter(({ parentSpanContext: found }) =>
        parent === undefined ? !found || !ids.has(found.spanId) : found?.spanId === parent,
      )
      .toSorted((one, other) => startOf(one) - startOf(other))
      .flatMap((span) => [
        `${"  ".repeat(depth)}${span.name} ${of(span)}`.trimEnd(),
        ...below(span.spanContext().spanId, depth + 1),
      ]);
  return below(undefined, 0);
}
