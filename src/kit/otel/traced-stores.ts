import * as s from "../../core/base/option-schema.ts";
import { trace, type Tracer, SpanKind, type Attributes } from "@opentelemetry/api";
import type { MemoryStore } from "../memory/port.ts";
import { check } from "../../core/base/options.ts";
import { OPERATION, OWN, SCOPE, GEN_AI, SEMCONV } from "./names.ts";
import type { KnowledgeStore } from "../knowledge/port.ts";
import { errorInfo } from "../../core/base/error.ts";
import { fail } from "./observed.ts";

/** Options of {@link traceMemory}. */
export type TraceMemoryOptions = {
  /** Default: the tracer `agentchart` of the global provider. */
  readonly tracer?: Tracer | undefined;
};

/** The schema of {@link TraceMemoryOptions}. */
export const traceMemorySchema = s.lazily(() =>
  s.options<TraceMemoryOptions>({
    tracer: s.optional(s.having("startSpan", "a tracer of @opentelemetry/api")),
  }),
);

/**
 * Returns a memory store whose searches, records and removals are spans. These are `search_memory`, `upsert_memory` and `delete_memory`,
 * below the turn or the tool call that causes them. Scopes and texts are not recorded. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { longTermMemory, sqliteMemory } from "agentchart/memory";
 * import { traceMemory } from "agentchart/otel";
 *
 * const store = traceMemory(sqliteMemory({ path: "./memory.db" }));
 * const memory = longTermMemory({ store, scope: () => "acme/ada" });
 * ```
 */
export function traceMemory(store: MemoryStore, options: TraceMemoryOptions = {}): MemoryStore {
  check(traceMemorySchema(), options, "traceMemory");
  const { tracer = trace.getTracer(SCOPE) } = options;
  return {
    search: (scope, query) =>
      inSpan(
        tracer,
        OPERATION.searchMemory,
        () => store.search(scope, query),
        (found) => ({ [OWN.found]: found.length }),
      ),
    put: (scope, memories, how) =>
      inSpan(
        tracer,
        OPERATION.upsertMemory,
        () => store.put(scope, memories, how),
        (ids) => ({ [OWN.kept]: ids.length }),
      ),
    remove: (scope, ids) =>
      inSpan(
        tracer,
        OPERATION.deleteMemory,
        () => store.remove(scope, ids),
        (removed) => ({ [OWN.removed]: removed }),
      ),
    list: (scope, page) => store.list(scope, page),
    close: () => store.close(),
  };
}

/** Options of {@link traceKnowledge}. */
export type TraceKnowledgeOptions = TraceMemoryOptions;

/**
 * Returns a store of knowledge whose searches are spans `retrieval`, below the turn or the tool call that causes them. Queries and
 * texts are not recorded. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { knowledge, sqliteKnowledge } from "agentchart/knowledge";
 * import { traceKnowledge } from "agentchart/otel";
 *
 * const store = traceKnowledge(sqliteKnowledge({ path: "./manuals.db" }));
 * const manuals = knowledge({ store });
 * ```
 */
export function traceKnowledge(store: KnowledgeStore, options: TraceKnowledgeOptions = {}): KnowledgeStore {
  check(traceMemorySchema(), options, "traceKnowledge");
  const { tracer = trace.getTracer(SCOPE) } = options;
  return {
    search: (query) =>
      inSpan(
        tracer,
        OPERATION.retrieval,
        () => store.search(query),
        (found) => ({ [OWN.retrieved]: found.length }),
      ),
    put: (source, passages, how) => store.put(source, passages, how),
    finish: (document, ids) => store.finish(document, ids),
    find: (source) => store.find(source),
    documents: (page) => store.documents(page),
    remove: (source) => store.remove(source),
    close: () => store.close(),
  };
}

/** Runs an operation of a store in a span of its own, below the active one. `describe` says what of the result the span has. */
async function inSpan<T>(
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
