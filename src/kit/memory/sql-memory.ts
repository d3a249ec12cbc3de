import * as s from "../../core/base/option-schema.ts";
import { createHash } from "node:crypto";
import { configError } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { check } from "../../core/base/options.ts";
import type { EmbedderInfo } from "../../core/model/embedder.ts";
import {
  bytesOf,
  checkEmbedder,
  checkVector,
  Nearest,
  vectorOf,
  type Near,
} from "../../core/model/vectors.ts";
import { fused, rarityOf, wordsOf } from "../../core/tool/rank.ts";
import { limitOf, pageOf } from "../../store/sql/page-of.ts";
import type { Row, Statement, Transaction } from "../../store/sql/transaction.ts";
import { checkScope, type Memory, type MemoryStore, type NewMemory } from "./port.ts";

/** One database. Its methods reject with AgentErrors. */
export type MemoryDatabase = {
  /** The table, as SQL names it. */
  readonly table: string;
  query(operation: string, statement: Statement): Promise<readonly Row[]>;
  /** Runs all statements or none, while no other transaction changes the scope. */
  transaction<T>(operation: string, scope: string, run: () => Transaction<T>): Promise<T>;
  close(): Promise<void>;
};

/** The options that every store of memories takes. */
export type MemoryLimits = {
  /** The maximum number of memories of a scope, up to 10,000; default 1,000. The oldest are dropped. */
  readonly maxPerScope?: number | undefined;
  /** The clock, epoch ms; default `Date.now`. */
  readonly now?: (() => number) | undefined;
};

/** The most memories that a scope of any store has. */
export const MAX_PER_SCOPE = 10_000;

/** The schemas of {@link MemoryLimits}. */
export const limitsShape = () => ({
  maxPerScope: s.optional(s.integer(1, MAX_PER_SCOPE)),
  now: s.optional(s.func<() => number>()),
});

/** The longest text of a memory, in characters. */
const MAX_TEXT = 8_000;

const newMemorySchema = s.lazily(() =>
  s.listOf(
    s.options<NewMemory>({
      text: s.nonEmpty("a text"),
      meta: s.optional(s.object()),
      expiresAt: s.optional(s.number()),
      vector: s.optional(s.value<Float32Array>((each) => each instanceof Float32Array, "a Float32Array")),
    }),
  ),
);

/** The columns of the table. */
export const COLUMNS = `
  scope text NOT NULL, id text NOT NULL, batch text, text text NOT NULL, at double precision NOT NULL,
  expires_at double precision, meta text NOT NULL, embedder text, vector bytea, PRIMARY KEY (scope, id)`;
/** The columns of {@link COLUMNS} that older tables do not have. */
export const ADDED_COLUMNS = ["embedder text", "vector bytea"] as const;
const READ = "id, text, at, expires_at, meta";

/** The most rows, or ids, of one statement: databases bound the number of its values. */
const ROWS = 100;

/** The minimum number of memories that each part of a search contributes. */
const MIN_CANDIDATES = 50;

const LIVE = "(expires_at IS NULL OR expires_at > $2)";

/** A text as every database takes it: Postgres has no zero characters. */
const storable = (text: string): string => text.replaceAll("\0", "").slice(0, MAX_TEXT).toWellFormed();

/** The name of a batch without zero characters. Different ones stay different. */
const batchKey = (batch: string): string =>
  batch.replaceAll("\u0001", "\u0001\u0002").replaceAll("\0", "\u0001\u0001");

const idOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16);

function memoryOf(row: Row): Memory {
  const { id, text, at, meta, expires_at: expiresAt } = row;
  return {
    id: String(id),
    text: String(text),
    at: Math.floor(Number(at)),
    meta: JSON.parse(String(meta)) as JsonObject,
    ...(expiresAt !== null && { expiresAt: Number(expiresAt) }),
  };
}

/** Texts of one scope are small and few, so that they are ranked here: every database finds the same. */
export function sqlMemory(
  db: MemoryDatabase,
  { maxPerScope = 1_000, now = Date.now }: MemoryLimits,
): MemoryStore {
  const { table } = db;
  let newest = 0;
  const live = (scope: string, limit: number, after?: readonly [number, string], columns = READ) =>
    db.query("read memories", [
      `SELECT ${columns} FROM ${table} WHERE scope = $1 AND ${LIVE}${after ? " AND (at, id) < ($3, $4)" : ""}
       ORDER BY at DESC, id DESC LIMIT ${limit}`,
      [scope, now(), ...(after ?? [])],
    ]);
  return {
    async put(scope, given, { batch: named, embedder } = {}) {
      checkScope(scope);
      check(newMemorySchema(), given, "put", "The memories");
      if (given.some(({ vector }) => (vector === undefined) !== (embedder === undefined)))
        throw configError("put: expected a vector for each memory and their `embedder`, or neither.");
      const batch = named === undefined ? null : batchKey(named);
      const texts = given.map((each) => ({ ...each, text: storable(each.text) }));
      const memories = new Map(texts.map((each) => [idOf(each.text), each]));
      const rows = [...memories].map(([id, { text, meta = {}, expiresAt = null, vector }]) => {
        newest = Math.max(now(), newest + 0.001); // keeps the order of those of one millisecond
        const made = vector ? [encoded(embedder!), bytesOf(checkVector(vector, embedder!))] : [null, null];
        return [scope, id, batch, text, newest, expiresAt, JSON.stringify(meta), ...made];
      });
      const inserts = partsOf(rows).map((part): Statement => {
        const marks = part.map((row, at) => `(${marksOf(row, at * row.length)})`);
        const sql = `INSERT INTO ${table} (scope, id, batch, text, at, expires_at, meta, embedder, vector) VALUES ${marks.join(", ")}
        ON CONFLICT (scope, id) DO UPDATE SET
          batch = excluded.batch, at = excluded.at, expires_at = excluded.expires_at, meta = excluded.meta,
          embedder = coalesce(excluded.embedder, memories.embedder),
          vector = coalesce(excluded.vector, memories.vector)`;
        return [sql, part.flat()];
      });
      const kept = `SELECT id FROM ${table} WHERE scope = $1 AND ${LIVE} ORDER BY at DESC, id DESC LIMIT ${maxPerScope}`;
      const drop = `DELETE FROM ${table} WHERE scope = $1 AND id NOT IN (${kept})`;
      return db.transaction("keep memories", scope, function* (): Transaction<readonly string[]> {
        if (embedder) refuseOther(embedder, yield otherThan(scope, embedder));
        const ofBatch = `SELECT id FROM ${table} WHERE scope = $1 AND batch = $2 ORDER BY at`;
        const known = batch === null ? [] : yield [ofBatch, [scope, batch]];
        if (known.length > 0) return known.map(({ id }) => String(id));
        yield* inserts;
        yield [drop, [scope, now()]];
        return [...memories.keys()];
      });
    },
    async search(scope, query) {
      checkScope(scope);
      const { text, embedding } = query;
      const limit = limitOf(query);
      const asked = embedding && checkVector(embedding.vector, embedding.by);
      if (embedding)
        refuseOther(embedding.by, await db.query("read memories", otherThan(scope, embedding.by)));
      const columns = asked ? `${READ}, vector` : READ;
      const rows = await live(scope, maxPerScope, undefined, columns);
      const memories = rows.map(memoryOf);
      const scores = scoresOf(
        text,
        memories.map((each) => each.text),
      );
      const byWords = [...scores.keys()]
        .filter((index) => scores[index]! > 0)
        .toSorted((a, b) => scores[b]! - scores[a]!);
      const candidates = Math.max(MIN_CANDIDATES, 2 * limit);
      const byVector = asked ? nearestOf(asked, rows, candidates) : [];
      const similarities = new Map(byVector.map(({ row, similarity }) => [row, similarity]));
      const best = asked
        ? fused([byWords.slice(0, candidates), byVector.map(({ row }) => row)], limit)
        : byWords.slice(0, limit);
      return best.map((index) => ({
        ...memories[index]!,
        score: Math.max(scores[index]!, similarities.get(index) ?? 0),
      }));
    },
    async list(scope, page = {}) {
      const { cursor } = page;
      const limit = limitOf(page);
      const rows = await live(
        checkScope(scope),
        limit + 1,
        cursor === undefined ? undefined : placeOf(cursor),
      );
      const { items, ...next } = pageOf(rows, limit, ({ at, id }) => `${Number(at)} ${String(id)}`);
      return { memories: items.map(memoryOf), ...next };
    },
    async remove(scope, ids) {
      checkScope(scope);
      const remove = `DELETE FROM ${table} WHERE scope = $1`;
      return db.transaction("remove memories", scope, function* (): Transaction<number> {
        if (!ids) return (yield [`${remove} RETURNING id`, [scope]]).length;
        let removed = 0;
        for (const part of partsOf(ids))
          removed += (yield [`${remove} AND id IN (${marksOf(part, 1)}) RETURNING id`, [scope, ...part]])
            .length;
        return removed;
      });
    },
    close: () => db.close(),
  };

  function otherThan(scope: string, given: EmbedderInfo): Statement {
    const sql = `SELECT embedder FROM ${table} WHERE scope = $1 AND embedder <> $2 LIMIT 1`;
    return [sql, [scope, encoded(given)]];
  }
}

function refuseOther(given: EmbedderInfo, [other]: readonly Row[]): void {
  if (other) checkEmbedder("memories of this scope", decoded(String(other["embedder"])), given);
}

/** Parts of a list, of which each fits one statement. */
const partsOf = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / ROWS) }, (_, part) =>
    all.slice(part * ROWS, (part + 1) * ROWS),
  );

/** The parameters of values that come after `before` others. */
const marksOf = (values: readonly unknown[], before: number): string =>
  values.map((_, index) => `$${before + index + 1}`).join(", ");

const encoded = ({ name, dimensions }: EmbedderInfo): string => storable(`${dimensions} ${name}`);

function decoded(text: string): EmbedderInfo {
  const at = text.indexOf(" ");
  return { name: text.slice(at + 1), dimensions: Number(text.slice(0, at)) };
}

/** The rows, by their indexes, whose vectors are near. */
function nearestOf(asked: Float32Array, rows: readonly Row[], limit: number): readonly Near[] {
  const nearest = new Nearest(asked, limit);
  for (const [index, { vector }] of rows.entries())
    if (vector instanceof Uint8Array) nearest.compare(index, vectorOf(vector));
  return nearest.found;
}

function placeOf(cursor: string): readonly [number, string] {
  const [, at, id] = /^(\d+(?:\.\d+)?) (\S+)$/u.exec(cursor) ?? [];
  if (at === undefined || id === undefined) throw configError("list: `cursor` is not one that a page had.");
  return [Number(at), id];
}

/**
 * Returns the scores of texts, from 0 to 1. The score is the share of the query's words that a text has, of which those count more that few
 * texts have.
 */
function scoresOf(query: string, texts: readonly string[]): readonly number[] {
  const asked = [...new Set(wordsOf(query))];
  const having = texts.map((text) => new Set(wordsOf(text)));
  const weights = asked.map((word) => {
    const count = having.filter((words) => words.has(word)).length;
    return count === 0 ? 0 : rarityOf(count, texts.length);
  });
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return having.map((words) => {
    const found = asked.reduce((sum, word, index) => (words.has(word) ? sum + weights[index]! : sum), 0);
    return whole === 0 ? 0 : found / whole;
  });
}
