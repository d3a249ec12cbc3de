export { otelObserver } from "./observer.ts";
export type { OtelOptions } from "./options.ts";
export { traceKnowledge } from "./trace-knowledge.ts";
export type { TraceKnowledgeOptions } from "./trace-knowledge.ts";
export { traceMemory } from "./trace-memory.ts";
export type { TraceMemoryOptions } from "./trace-memory.ts";
