export { otelObserver } from "./observer.ts";
export type { OtelOptions } from "./options.ts";
export { traceKnowledge, traceMemory } from "./traced-stores.ts";
export type { TraceKnowledgeOptions, TraceMemoryOptions } from "./traced-stores.ts";
