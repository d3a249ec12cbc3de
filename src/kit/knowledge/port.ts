import crypto from "node:crypto";
import type { JsonObject } from "../../core/base/json.ts";
import type { EmbedderInfo } from "../../core/model/embedder.ts";

/** A part of a document to store. */
export type NewPassage = {
  /** At most 20,000 characters. */
  readonly text: string;
  /** The place in its document, such as `{ page: 3 }`; default `{}`. */
  readonly meta?: JsonObject | undefined;
  /** The vector of the text; either all passages of a store have one or none has. */
  readonly vector?: Float32Array | undefined;
};

/** A stored part of a document. */
export type Passage = {
  /** Follows from `source` and `text`. */
  readonly id: string;
  /** The document it is a part of, such as a path; "" if that is not known. */
  readonly source: string;
  readonly text: string;
  readonly meta: JsonObject;
};

/** A passage that was found. */
export type FoundPassage = Passage & {
  /** The relevance, from 0 to 1: the similarity of its vector, or the share of the query's words that it has, whichever is more. */
  readonly score: number;
};

/** The query of {@link KnowledgeStore.search}. */
export type KnowledgeQuery = {
  /** Words of the query; "" searches by the vector alone. */
  readonly text: string;
  /** The maximum number of passages that it returns. */
  readonly limit: number;
  /** The vector of the query, and what made it; without it words alone are searched. */
  readonly embedding?: { readonly by: EmbedderInfo; readonly vector: Float32Array } | undefined;
};

/** A document of a store. */
export type KnowledgeDocument = {
  readonly source: string;
  /** The hash that {@link KnowledgeStore.finish} was given; undefined for a document that is not finished. */
  readonly hash: string | undefined;
  /** The number of passages that it has. */
  readonly passages: number;
  /** The time at which it was finished, or when its first passage was put; epoch ms. */
  readonly at: number;
};

/** A page of {@link KnowledgeStore.documents}; `cursor` is absent on the last page. */
export type KnowledgePage = {
  readonly documents: readonly KnowledgeDocument[];
  readonly cursor?: string | undefined;
};

/**
 * Keeps passages of documents and finds them by words, and by vectors if it has any. Everybody who searches a store finds everything in
 * it: make a store for each group of readers.
 *
 * - What `put` and `finish` have resolved for is stored; each stores all or nothing.
 * - The source of a document is a non-empty text without the character NUL and without halves of characters; any other is refused with
 *   `config/invalid`.
 * - A store has vectors of one embedder. `put` and `search` reject `config/invalid` for another one, and for vectors of other lengths.
 * - Passages that words and passages that vectors find are merged by reciprocal rank.
 *
 * Methods reject `store/failed` if the storage fails.
 */
export interface KnowledgeStore {
  /** Returns the passages that fit the query, best first. */
  search(query: KnowledgeQuery): Promise<readonly FoundPassage[]>;
  /** Adds passages to a document, and returns their ids. One that it has already is replaced. The document is not finished then. */
  put(
    source: string,
    passages: readonly NewPassage[],
    options?: { readonly embedder?: EmbedderInfo | undefined },
  ): Promise<readonly string[]>;
  /** Says that a document consists of these passages and no others, which are removed. `hash` tells its versions apart. */
  finish(document: { readonly source: string; readonly hash: string }, ids: readonly string[]): Promise<void>;
  /** Returns a document with the ids of its passages; undefined if there is none. */
  find(source: string): Promise<(KnowledgeDocument & { readonly ids: readonly string[] }) | undefined>;
  /** Returns the documents by their `source`; `limit` (default 100) on a page. */
  documents(page?: {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
  }): Promise<KnowledgePage>;
  /** Removes a document, or all of them, and returns how many passages there were. */
  remove(source?: string): Promise<number>;
  /** Frees what the store holds. */
  close(): Promise<void>;
}

/** A text as every database takes it: Postgres has no zero characters. */
export const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed();

/**
 * Returns the id of a passage: the same text of the same document has the same one in every store.
 *
 * @example
 * ```ts
 * import { passageId } from "agentchart/knowledge";
 *
 * export const id = passageId("faq.md", "A refund takes five days.");
 * ```
 */
export function passageId(source: string, text: string): string {
  return crypto.hash("sha256", `${storable(source)}\0${storable(text)}`, "base64url").slice(0, 16);
}
