import { AgentError, configError } from "../base/error.ts";
import type { Embedder, EmbedderInfo, EmbedOptions } from "./embedder.ts";

/** The embedder that made the stored vectors; null for texts without vectors, undefined if there is nothing. */
export type StoredEmbedder = EmbedderInfo | null | undefined;

/** A row and how similar its vector is to that of the query, from 0 to 1. */
export type Near = { readonly row: number; readonly similarity: number };

/** The vector with length 1, so that a product of two is their cosine; one of zeros stays as it is. */
export function normalized(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** A vector as bytes of a database, in the order of bytes that all current machines have. */
export function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** The vector of such bytes. */
export function vectorOf(bytes: Uint8Array): Float32Array {
  if (bytes.byteOffset % 4 === 0) return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return new Float32Array(bytes.slice().buffer);
}

function product(a: Float32Array, b: Float32Array, from: number): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[from + at]!;
  return sum;
}

/** The rows that are most similar to a vector, best first. Rows that are not similar at all are left out. */
export class Nearest {
  readonly #to: Float32Array;
  readonly #limit: number;
  readonly #found: Near[] = [];

  constructor(to: Float32Array, limit: number) {
    this.#to = to;
    this.#limit = limit;
  }

  /** Compares the vector that begins at `from`. */
  compare(row: number, vectors: Float32Array, from = 0): void {
    const similarity = product(this.#to, vectors, from);
    const least = this.#found.length < this.#limit ? 0 : this.#found.at(-1)!.similarity;
    if (!(similarity > least)) return;
    if (this.#found.length === this.#limit) this.#found.pop();
    const at = this.#found.findLastIndex((near) => near.similarity >= similarity) + 1;
    this.#found.splice(at, 0, { row, similarity: Math.min(similarity, 1) });
  }

  get found(): readonly Near[] {
    return this.#found;
  }
}

/** All vectors of a store, in memory. */
export class VectorTable {
  readonly #rows: Float64Array;
  readonly #vectors: Float32Array;
  readonly #dimensions: number;
  #size = 0;

  constructor(rows: number, dimensions: number) {
    this.#rows = new Float64Array(rows);
    this.#vectors = new Float32Array(rows * dimensions);
    this.#dimensions = dimensions;
  }

  /** Adds a row; more than there is room for are left out. */
  add(row: number, vector: Float32Array): void {
    if (this.#size === this.#rows.length) return;
    this.#rows[this.#size] = row;
    this.#vectors.set(vector, this.#size * this.#dimensions);
    this.#size++;
  }

  nearest(vector: Float32Array, limit: number): readonly Near[] {
    const nearest = new Nearest(vector, limit);
    for (let at = 0; at < this.#size; at++)
      nearest.compare(this.#rows[at]!, this.#vectors, at * this.#dimensions);
    return nearest.found;
  }
}

const nameOf = (embedder: EmbedderInfo | null): string =>
  embedder === null ? "no embedder" : `the embedder ${embedder.name} (${embedder.dimensions} dimensions)`;

/** Throws `config/invalid` unless vectors of an embedder go with `what` is stored. */
export function checkEmbedder(what: string, stored: StoredEmbedder, given: EmbedderInfo | null): void {
  if (stored === undefined) return;
  if (stored?.name === given?.name && stored?.dimensions === given?.dimensions) return;
  throw configError(
    `The ${what} were made with ${nameOf(stored)}, and ${nameOf(given)} was given: vectors of different embedders cannot be compared. Expected the same one, or another store.`,
  );
}

/** The vector with length 1. Throws `config/invalid` unless it is one of the embedder. */
export function checkVector(vector: Float32Array, { name, dimensions }: EmbedderInfo): Float32Array {
  if (vector instanceof Float32Array && vector.length === dimensions && vector.every(Number.isFinite))
    return normalized(vector);
  const found = vector instanceof Float32Array ? `${vector.length} numbers` : "another kind";
  throw configError(`A vector of the embedder ${name} has ${found}; expected ${dimensions} finite numbers.`);
}

/** Returns one vector for each text. Rejects `model/bad-response` if the embedder has made another number of them. */
export async function vectorsOf(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<readonly Float32Array[]> {
  const vectors = await embedder.embed(texts, options);
  if (vectors.length === texts.length) return vectors;
  throw new AgentError(
    "model/bad-response",
    `The embedder ${embedder.name} made ${vectors.length} vectors of ${texts.length} texts.`,
  );
}
