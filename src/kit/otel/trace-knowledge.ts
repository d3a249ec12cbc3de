import { trace, type Tracer } from "@opentelemetry/api";
import type { KnowledgeStore } from "../knowledge/port.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { inSpan } from "./in-span.ts";
import { OPERATION, OWN, SCOPE } from "./names.ts";

/** Options of {@link traceKnowledge}. */
export type TraceKnowledgeOptions = {
  /** Default: the tracer `agentchart` of the global provider. */
  readonly tracer?: Tracer | undefined;
};

/** The schema of {@link TraceKnowledgeOptions}. */
export const traceKnowledgeSchema = s.lazily(() =>
  s.options<TraceKnowledgeOptions>({
    tracer: s.optional(s.having("startSpan", "a tracer of @opentelemetry/api")),
  }),
);

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
  check(traceKnowledgeSchema(), options, "traceKnowledge");
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
