import type { Embedder } from "../../core/model/embedder.ts";
import { vectorsOf } from "../../core/model/vectors.ts";
import type { MemoryStore } from "./port.ts";

/** A store to which each text and each query is given with its vector. If a query cannot be embedded, `onFailure` is called, and its
 *  words alone are searched. */
export function withVectors(
  store: MemoryStore,
  embed: Embedder,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): MemoryStore {
  const by = { name: embed.name, dimensions: embed.dimensions };
  return {
    async put(scope, memories, options) {
      if (memories.length === 0) return store.put(scope, memories, options);
      const texts = memories.map(({ text }) => text);
      const vectors = await vectorsOf(embed, texts, { signal, kind: "document" });
      const given = memories.map((memory, index) => ({ ...memory, vector: vectors[index]! }));
      return store.put(scope, given, { ...options, embedder: by });
    },
    async search(scope, query) {
      const vectors = await vectorsOf(embed, [query.text], { signal, kind: "query" }).catch(onFailure);
      const [vector] = vectors ?? [];
      return store.search(scope, { ...query, ...(vector && { embedding: { by, vector } }) });
    },
    list: (scope, page) => store.list(scope, page),
    remove: (scope, ids) => store.remove(scope, ids),
    close: () => store.close(),
  };
}
