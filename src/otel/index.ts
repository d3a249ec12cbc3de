export { otelObserver } from "./observer.ts";
export type { OtelOptions } from "./options.ts";
export { traceMemory } from "./trace-memory.ts";
export type { TraceMemoryOptions } from "./trace-memory.ts";
