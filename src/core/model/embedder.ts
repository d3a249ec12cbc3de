import { throwIfAborted } from "./abort.ts";
import type { Endpoint } from "./endpoint.ts";
import { badResponse } from "./model-error.ts";

/** Options of {@link Embedder.embed}. */
export type EmbedOptions = {
  /** Once aborted, the call rejects `run/aborted`. */
  readonly signal: AbortSignal;
  /** Whether the texts are searched for or search: some models make other vectors of a question. */
  readonly kind: "document" | "query";
};

/** Turns texts into vectors that are near to each other if the texts mean the like. */
export interface Embedder {
  /** Tells apart vectors of different models, which cannot be compared. */
  readonly name: string;
  /** The length of each vector. */
  readonly dimensions: number;
  /** Returns one vector for each text, in their order. Rejects with the errors of a model call, and retries nothing. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
}

/** The embedder that made vectors: those of others cannot be compared with them. */
export type EmbedderInfo = Pick<Embedder, "name" | "dimensions">;

/**
 * Embeds any number of texts with calls of at most `size` each, one after the other. Rejects `model/bad-response` for an answer that
 * has not one vector of `dimensions` numbers for each text.
 */
export async function embedInBatches(
  texts: readonly string[],
  { size, dimensions, endpoint, signal }: BatchOptions,
  embedBatch: (batch: readonly string[]) => Promise<readonly (readonly number[])[]>,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let from = 0; from < texts.length; from += size) {
    throwIfAborted(signal);
    const batch = texts.slice(from, from + size);
    const found = await embedBatch(batch);
    if (found.length !== batch.length)
      throw badResponse(`has ${found.length} vectors for ${batch.length} texts.`, endpoint);
    const wrong = found.find((vector) => vector.length !== dimensions);
    if (wrong)
      throw badResponse(
        `has vectors of ${wrong.length} numbers, and \`dimensions\` is ${dimensions}.`,
        endpoint,
        false,
      );
    if (found.some((vector) => !vector.every(Number.isFinite)))
      throw badResponse("has a vector with something that is not a number.", endpoint);
    vectors.push(...found.map((vector) => Float32Array.from(vector)));
  }
  return vectors;
}

type BatchOptions = {
  readonly size: number;
  readonly dimensions: number;
  readonly endpoint: Endpoint;
  readonly signal: AbortSignal;
};
