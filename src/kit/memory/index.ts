// src/kit/memory remembers across sessions: it retrieves before a turn, records after it, and keeps memories in SQLite or Postgres.
export { longTermMemory } from "./long-term-memory.ts";
export type { LongTermMemoryOptions, MemorySession, RecordOptions } from "./long-term-memory.ts";
export type { FoundMemory, Memory, MemoryPage, MemoryQuery, MemoryStore, NewMemory } from "./port.ts";
export type { MemoryLimits } from "./sql-memory.ts";
export type { EmbedderInfo } from "../../core/model/embedder.ts";
export { memoryMemory, sqliteMemory } from "./sqlite.ts";
export type { SqliteMemoryOptions } from "./sqlite.ts";
export { postgresMemory } from "./postgres.ts";
export type { PostgresMemoryOptions } from "./postgres.ts";
