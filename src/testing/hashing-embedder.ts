import { tellingTerms } from "../kit/knowledge/terms.ts";
import { configError } from "../core/base/error.ts";
import { throwIfAborted } from "../core/model/abort.ts";
import type { Embedder } from "../core/model/embedder.ts";

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Yields the features of a text: its terms, and the trigrams of long terms, so that misspelt words still match. */
function* featuresOf(text: string): Generator<readonly [feature: string, weight: number]> {
  for (const term of tellingTerms(text)) {
    yield [term, 1];
    for (let at = 0; term.length > 3 && at + 3 <= term.length; at++)
      yield [`#${term.slice(at, at + 3)}`, 0.3];
  }
}

/**
 * Returns an embedder that needs no model, for tests and examples: feature hashing of words and parts of words, the same in every
 * process. It knows nothing of synonyms. Throws `config/invalid` unless `dimensions` is a positive integer.
 *
 * @example
 * ```ts
 * import { hashingEmbedder } from "agentchart/testing";
 *
 * const embedder = hashingEmbedder(256);
 * const [vector] = await embedder.embed(["green tea"], { signal: new AbortController().signal, kind: "document" });
 * ```
 */
export function hashingEmbedder(dimensions = 256): Embedder {
  if (!Number.isSafeInteger(dimensions) || dimensions < 1)
    throw configError("hashingEmbedder: expected a positive number of dimensions.");
  return {
    name: `hashing-${dimensions}`,
    dimensions,
    async embed(texts, { signal }) {
      throwIfAborted(signal);
      return texts.map((text) => {
        const vector = new Float32Array(dimensions);
        for (const [feature, weight] of featuresOf(text)) {
          const hash = hashOf(feature);
          vector[hash % dimensions]! += hash & 0x80000000 ? -weight : weight;
        }
        const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
        return length === 0 ? vector : vector.map((value) => value / length);
      });
    },
  };
}
