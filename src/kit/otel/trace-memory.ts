import { trace, type Tracer } from "@opentelemetry/api";
import type { MemoryStore } from "../memory/port.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { inSpan } from "./in-span.ts";
import { OPERATION, OWN, SCOPE } from "./names.ts";

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
