// src/kit/knowledge looks things up in documents: it keeps their passages in SQLite or Postgres, and finds them by words and vectors.
export { knowledge } from "./knowledge.ts";
export type { KnowledgeOptions } from "./knowledge.ts";
export { ingest } from "./ingest.ts";
export type { IngestOptions, IngestProgress, IngestResult } from "./ingest.ts";
export { readDocument } from "./read-document.ts";
export type { DocumentText } from "./read-document.ts";
export { split } from "./split.ts";
export type { SplitOptions } from "./split.ts";
export type { EmbedderInfo } from "../../core/model/embedder.ts";
export { passageId } from "./port.ts";
export type {
  FoundPassage,
  KnowledgeDocument,
  KnowledgePage,
  KnowledgeQuery,
  KnowledgeStore,
  NewPassage,
  Passage,
} from "./port.ts";
export { memoryKnowledge, sqliteKnowledge } from "./sqlite.ts";
export type { SqliteKnowledgeOptions } from "./sqlite.ts";
export { postgresKnowledge } from "./postgres.ts";
export type { PostgresKnowledgeOptions } from "./postgres.ts";
