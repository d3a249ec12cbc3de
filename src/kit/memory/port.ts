import { configError } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { EmbedderInfo } from "../../core/model/embedder.ts";

/** A memory to store. */
export type NewMemory = {
  readonly text: string;
  /** The origin of the memory; default `{}`. */
  readonly meta?: JsonObject | undefined;
  /** Epoch ms from which on it is neither found nor listed; default: never. */
  readonly expiresAt?: number | undefined;
  /** The vector of the text, of the `embedder` that `put` is given. */
  readonly vector?: Float32Array | undefined;
};

/** A stored memory. */
export type Memory = {
  /** Follows from the text, so that a scope has no text twice. */
  readonly id: string;
  readonly text: string;
  /** The time at which it was put last, epoch ms. */
  readonly at: number;
  readonly meta: JsonObject;
  readonly expiresAt?: number | undefined;
};

/** A memory that was found. */
export type FoundMemory = Memory & {
  /** The relevance, above 0 and at most 1: the share of the query's words that it has, or the similarity of its vector, whichever is more. */
  readonly score: number;
};

/** The query of {@link MemoryStore.search}. */
export type MemoryQuery = {
  readonly text: string;
  /** The vector of the query, and what made it; without it words alone are searched. */
  readonly embedding?: { readonly by: EmbedderInfo; readonly vector: Float32Array } | undefined;
  /** The maximum number of memories that it returns. */
  readonly limit: number;
};

/** A page of {@link MemoryStore.list}; `cursor` is absent on the last page. */
export type MemoryPage = { readonly memories: readonly Memory[]; readonly cursor?: string | undefined };

/**
 * Keeps memories across sessions.
 *
 * - A scope, such as a user of a tenant, is a non-empty string. Nothing of one scope is ever found, listed or removed in another.
 * - What `put` has resolved for is stored. A text that the scope has already is not stored twice: its time and `meta` are replaced.
 * - A `batch` is put once: while a memory of it is there, putting the batch again changes nothing.
 * - A memory that has expired is neither found nor listed.
 * - A scope has vectors of one embedder: `put` and `search` reject `config/invalid` for another one, and for vectors of other lengths. A
 *   memory without a vector is found by its words. What words and what vectors find is merged by reciprocal rank.
 * - A scope has a bound, which is an option of the store; the oldest memories are dropped.
 *
 * Methods reject `config/invalid` for an empty scope and for a `limit` that is not a whole number, and `store/failed` if the storage fails.
 */
export interface MemoryStore {
  /** Keeps memories, and returns their ids. */
  put(
    scope: string,
    memories: readonly NewMemory[],
    options?: { readonly batch?: string | undefined; readonly embedder?: EmbedderInfo | undefined },
  ): Promise<readonly string[]>;
  /** Returns the memories that fit the query, best first. */
  search(scope: string, query: MemoryQuery): Promise<readonly FoundMemory[]>;
  /** Returns the memories, newest first; `limit` (default 100) on a page. */
  list(
    scope: string,
    page?: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  ): Promise<MemoryPage>;
  /** Removes these memories, or all of the scope, and returns how many there were. */
  remove(scope: string, ids?: readonly string[]): Promise<number>;
  /** Frees what the store holds. */
  close(): Promise<void>;
}

/** Returns the scope. Throws `config/invalid` unless it is a non-empty string that each database takes as it is: nobody's memory is
 *  everybody's, and two scopes with halves of characters would be one. */
export function checkScope(scope: unknown): string {
  const isText = typeof scope === "string" && scope !== "";
  if (isText && !scope.includes("\0") && scope.isWellFormed()) return scope;
  const found = isText
    ? "a text with the character NUL or half of a character"
    : scope === ""
      ? "empty"
      : `a ${typeof scope}`;
  throw configError(
    `The scope of a memory is ${found}; expected a non-empty string, such as a tenant and a user.`,
  );
}
