import { configError } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import {
  passageId,
  storable,
  type FoundPassage,
  type KnowledgeDocument,
  type KnowledgeQuery,
  type KnowledgeStore,
  type NewPassage,
} from "./port.ts";
import { queryTerms, searched, shareOf, termsOf, weighted, type WeightedTerm } from "./terms.ts";
import type { EmbedderInfo } from "../../core/model/embedder.ts";
import { checkEmbedder, checkVector, type Near, type StoredEmbedder } from "../../core/model/vectors.ts";
import { fused } from "../../core/tool/rank.ts";
import { limitOf, pageOf } from "../../store/sql/page-of.ts";

/** A row of the table of passages; `terms` are those it is found by, `vector` has length 1. */
export type PassageRow = {
  readonly id: string;
  readonly source: string;
  readonly text: string;
  readonly meta: string;
  readonly terms: readonly string[];
  readonly vector: Float32Array | undefined;
};
/** A row that was found by its number. */
export type StoredPassage = Omit<PassageRow, "terms" | "vector"> & { readonly row: number };
/** A document whose `hash` is null until it is finished. */
export type StoredDocument = Omit<KnowledgeDocument, "hash"> & { readonly hash: string | null };
/** In how many passages terms stand, and how many passages there are. */
export type TermCounts = { readonly total: number; readonly counts: ReadonlyMap<string, number> };
/** One database. Each method that writes keeps all or nothing; methods reject with AgentErrors. */
export type KnowledgeDatabase = {
  embedder(): Promise<StoredEmbedder>;
  /** Adds or replaces passages, and makes the document unfinished. `accept` throws for the embedder of what is there. */
  put(
    source: string,
    rows: readonly PassageRow[],
    embedder: EmbedderInfo | null,
    accept: (stored: StoredEmbedder) => void,
    at: number,
  ): Promise<void>;
  finish(source: string, hash: string, ids: readonly string[], at: number): Promise<void>;
  document(source: string): Promise<StoredDocument | undefined>;
  documents(after: string | undefined, limit: number): Promise<readonly StoredDocument[]>;
  ids(source: string): Promise<readonly string[]>;
  remove(source: string | undefined): Promise<number>;
  count(terms: readonly string[]): Promise<TermCounts>;
  /** The rows that have one of the terms, best first. */
  withTerms(terms: readonly WeightedTerm[], limit: number): Promise<readonly number[]>;
  /** The rows whose vectors are near, best first. */
  near(vector: Float32Array, limit: number): Promise<readonly Near[]>;
  passages(rows: readonly number[]): Promise<readonly StoredPassage[]>;
  close(): Promise<void>;
};

const MAX_TEXT = 20_000;
const MAX_LIMIT = 1_000;

const passagesSchema = s.lazily(() =>
  s.listOf(
    s.options<NewPassage>({
      text: s.value<string>(
        (text) => typeof text === "string" && text.trim() !== "" && text.length <= MAX_TEXT,
        "a text of 1 to 20,000 characters",
      ),
      meta: s.optional(s.object()),
      vector: s.optional(s.value<Float32Array>((each) => each instanceof Float32Array, "a Float32Array")),
    }),
  ),
);
const querySchema = s.lazily(() =>
  s.options<KnowledgeQuery>({
    text: s.string(),
    limit: s.integer(1, MAX_LIMIT),
    embedding: s.optional(s.object("the vector of the query, and what made it")),
  }),
);

/** The minimum number of passages that each part of a search contributes. */
const MIN_CANDIDATES = 50;

/** Databases refuse the character NUL, or take different halves of characters for the same. */
function checkSource(source: unknown): void {
  const isText = typeof source === "string" && source !== "";
  if (isText && !source.includes("\0") && source.isWellFormed()) return;
  const found = isText ? "has the character NUL or half of a character" : "is missing";
  throw configError(`The source of a document ${found}; expected its name.`);
}

const documentOf = ({ hash, ...rest }: StoredDocument): KnowledgeDocument => ({
  ...rest,
  hash: hash ?? undefined,
});

/** A store over a database: what is checked, how rankings are merged, and how well a passage fits are the same for all. */
export function sqlKnowledge(db: KnowledgeDatabase, now: () => number = Date.now): KnowledgeStore {
  return {
    async put(
      source,
      passages,
      { embedder = null }: { readonly embedder?: EmbedderInfo | null | undefined } = {},
    ) {
      checkSource(source);
      check(passagesSchema(), passages, "put", "The passages");
      const rows = new Map<string, PassageRow>();
      for (const { text: given, meta = {}, vector } of passages) {
        if ((vector === undefined) !== (embedder === null))
          throw configError("put: expected a vector for each passage and their `embedder`, or neither.");
        const text = storable(given);
        const id = passageId(source, text);
        const normal = vector && checkVector(vector, embedder!);
        rows.set(id, {
          id,
          source,
          text,
          meta: storable(JSON.stringify(meta)),
          terms: termsOf(text),
          vector: normal,
        });
      }
      const accept = (stored: StoredEmbedder): void =>
        checkEmbedder("passages of this store", stored, embedder);
      if (rows.size === 0) accept(await db.embedder());
      else await db.put(source, [...rows.values()], embedder, accept, now());
      return [...rows.keys()];
    },
    async finish({ source, hash }, ids) {
      checkSource(source);
      await db.finish(source, hash, ids, now());
    },
    async find(source) {
      checkSource(source);
      const document = await db.document(source);
      return document && { ...documentOf(document), ids: await db.ids(source) };
    },
    async documents(page = {}) {
      const limit = limitOf(page);
      const found = await db.documents(page.cursor, limit + 1);
      const { items, ...next } = pageOf(found, limit, ({ source }) => source);
      return { documents: items.map(documentOf), ...next };
    },
    async remove(source) {
      if (source !== undefined) checkSource(source);
      return db.remove(source);
    },
    async search(query) {
      check(querySchema(), query, "search", "The query");
      const { text, limit, embedding } = query;
      const candidates = Math.max(MIN_CANDIDATES, 2 * limit);
      const asked = queryTerms(text);
      const { total, counts } = asked.length > 0 ? await db.count(asked) : { total: 0, counts: new Map() };
      const terms = weighted(asked, counts, total);
      const matching = searched(terms);
      const byWords = matching.length > 0 ? await db.withTerms(matching, candidates) : [];
      const byVector = embedding ? await nearTo(embedding, candidates) : [];
      const rows = fused([byWords, byVector.map(({ row }) => row)], limit);
      const similarities = new Map(byVector.map(({ row, similarity }) => [row, similarity]));
      const stored = new Map((await db.passages(rows)).map((each) => [each.row, each]));
      return rows.flatMap((row): readonly FoundPassage[] => {
        const passage = stored.get(row);
        if (!passage) return []; // removed meanwhile
        const { id, source, text: found, meta } = passage;
        const score = Math.max(similarities.get(row) ?? 0, shareOf(terms, found));
        return [{ id, source, text: found, meta: JSON.parse(meta) as JsonObject, score }];
      });
    },
    close: () => db.close(),
  };

  async function nearTo(
    { by, vector }: NonNullable<KnowledgeQuery["embedding"]>,
    limit: number,
  ): Promise<readonly Near[]> {
    const stored = await db.embedder();
    if (stored === undefined) return [];
    checkEmbedder("passages of this store", stored, by);
    return db.near(checkVector(vector, by), limit);
  }
}
