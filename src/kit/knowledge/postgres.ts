import type { Pool, PoolClient } from "pg";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import {
  CONNECTION,
  connectionShape,
  isConnection,
  type PostgresConnection,
} from "../../store/sql/postgres-connection.ts";
import { inPostgresTransaction, migratePostgres, PostgresTables } from "../../store/sql/postgres.ts";
import { lexemeOf, tsqueryAnyOf } from "../../store/sql/words.ts";
import type { EmbedderInfo } from "../../core/model/embedder.ts";
import type { KnowledgeStore } from "./port.ts";
import {
  sqlKnowledge,
  type KnowledgeDatabase,
  type StoredDocument,
  type StoredPassage,
} from "./sql-knowledge.ts";
import { Nearest, VectorTable, type Near, type StoredEmbedder } from "../../core/model/vectors.ts";

/** Options of {@link postgresKnowledge}: either a `connectionString` or a `pool`. */
export type PostgresKnowledgeOptions = PostgresConnection & {
  /** Up to how many passages their vectors are cached once searched, where the server has no pgvector; default 50,000. Above it
   *  each search reads them. */
  readonly maxInMemory?: number | undefined;
  /** The clock, epoch ms; default `Date.now`. */
  readonly now?: (() => number) | undefined;
};

/** The schema of {@link PostgresKnowledgeOptions}. */
export const postgresKnowledgeSchema = s.lazily(() =>
  s.restricted(
    s.options<PostgresKnowledgeOptions>(
      {
        ...connectionShape(),
        maxInMemory: s.optional(s.integer(0)),
        now: s.optional(s.func<() => number>()),
      },
      { what: "options, such as { connectionString }" },
    ),
    isConnection,
    CONNECTION,
  ),
);

/** Tables of earlier releases have no version: the first migration takes them as they are. The row of the version is the one
 *  that writers wait for each other at. */
const MIGRATIONS = [
  `CREATE TABLE IF NOT EXISTS S.knowledge_about (key text PRIMARY KEY, value text NOT NULL);
   INSERT INTO S.knowledge_about VALUES ('version', '0') ON CONFLICT DO NOTHING;
   CREATE TABLE IF NOT EXISTS S.knowledge_passages (
     row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, source text NOT NULL, text text NOT NULL,
     meta text NOT NULL, words tsvector NOT NULL, vector real[]);
   CREATE INDEX IF NOT EXISTS knowledge_passages_words ON S.knowledge_passages USING gin (words);
   CREATE INDEX IF NOT EXISTS knowledge_passages_source ON S.knowledge_passages (source);
   CREATE TABLE IF NOT EXISTS S.knowledge_documents (source text COLLATE "C" PRIMARY KEY, hash text, at double precision NOT NULL)`,
];

/** The query that tells whether pgvector is installed; it is installed if the server offers it and the user may install it. */
const HAS_PGVECTOR = "SELECT 1 FROM pg_extension WHERE extname = 'vector'";
const MAY_INSTALL = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'";

async function preparePgvector(pool: Pool): Promise<boolean> {
  if ((await pool.query(HAS_PGVECTOR)).rows.length > 0) return true;
  if ((await pool.query(MAY_INSTALL)).rows.length === 0) return false;
  return pool.query("CREATE EXTENSION IF NOT EXISTS vector").then(
    () => true,
    () => false,
  );
}

/** The number of vectors that are read at once. */
const PAGE = 5_000;

class PostgresDatabase implements KnowledgeDatabase {
  readonly #options: PostgresKnowledgeOptions;
  readonly #passages: string;
  readonly #documents: string;
  readonly #about: string;
  readonly #tables: PostgresTables<boolean>;
  #table: { readonly version: string; readonly vectors: VectorTable } | undefined;

  constructor(options: PostgresKnowledgeOptions) {
    this.#options = options;
    const schema = `"${options.schema ?? "agentchart"}"`;
    this.#passages = `${schema}.knowledge_passages`;
    this.#documents = `${schema}.knowledge_documents`;
    this.#about = `${schema}.knowledge_about`;
    this.#tables = new PostgresTables(options, "postgresKnowledge", async (pool) => {
      await inPostgresTransaction(pool, (client) => migratePostgres(client, schema, MIGRATIONS, "knowledge"));
      return preparePgvector(pool);
    });
  }

  #query<R>(operation: string, sql: string, values: readonly unknown[] = []): Promise<readonly R[]> {
    return this.#tables.run(operation, async (pool) => (await pool.query(sql, [...values])).rows as R[]);
  }

  /** Runs `change` as one transaction. Writers wait for each other, and the version of what is stored goes up. */
  #write<T>(operation: string, change: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#tables.run(operation, (pool) =>
      inPostgresTransaction(pool, async (client) => {
        await client.query(`UPDATE ${this.#about} SET value = value::bigint + 1 WHERE key = 'version'`);
        return change(client);
      }),
    );
  }

  async #embedder(client: Pool | PoolClient): Promise<StoredEmbedder> {
    const sql = `SELECT value FROM ${this.#about} WHERE key = 'embedder'`;
    const [found] = (await client.query<{ value: string }>(sql)).rows;
    return found && (JSON.parse(found.value) as EmbedderInfo | null);
  }

  embedder(): Promise<StoredEmbedder> {
    return this.#tables.run("read the embedder", (pool) => this.#embedder(pool));
  }

  put(...[source, rows, embedder, accept, at]: Parameters<KnowledgeDatabase["put"]>): Promise<void> {
    return this.#write("keep passages", async (client) => {
      accept(await this.#embedder(client));
      const about = `INSERT INTO ${this.#about} VALUES ('embedder', $1) ON CONFLICT DO NOTHING`;
      await client.query(about, [JSON.stringify(embedder)]);
      const begun = `INSERT INTO ${this.#documents} VALUES ($1, NULL, $2) ON CONFLICT (source) DO UPDATE SET hash = NULL`;
      await client.query(begun, [source, at]);
      const insert = `
        INSERT INTO ${this.#passages} (id, source, text, meta, words, vector)
        VALUES ($1, $2, $3, $4, array_to_tsvector($5::text[]), $6::real[])
        ON CONFLICT (id) DO UPDATE SET meta = excluded.meta, words = excluded.words, vector = excluded.vector`;
      for (const { id, text, meta, terms, vector } of rows)
        await client.query(insert, [
          id,
          source,
          text,
          meta,
          [...new Set(terms)],
          vector ? [...vector] : null,
        ]);
    });
  }

  finish(source: string, hash: string, ids: readonly string[], at: number): Promise<void> {
    return this.#write("finish a document", async (client) => {
      await this.#drop(client, "source = $1 AND NOT id = ANY ($2::text[])", [source, ids]);
      const finished = `INSERT INTO ${this.#documents} VALUES ($1, $2, $3) ON CONFLICT (source) DO UPDATE SET hash = $2, at = $3`;
      await client.query(finished, [source, hash, at]);
    });
  }

  /** Removes passages, and returns how many. A store that has none left takes those of any embedder. */
  async #drop(client: PoolClient, which: string, values: readonly unknown[]): Promise<number> {
    const { rowCount } = await client.query(`DELETE FROM ${this.#passages} WHERE ${which}`, [...values]);
    const emptied = `DELETE FROM ${this.#about} WHERE key = 'embedder' AND NOT EXISTS (SELECT 1 FROM ${this.#passages})`;
    await client.query(emptied);
    return rowCount ?? 0;
  }

  get #document(): string {
    return `SELECT source, hash, at, (SELECT count(*)::int FROM ${this.#passages} p WHERE p.source = d.source) AS passages FROM ${this.#documents} d`;
  }

  async document(source: string): Promise<StoredDocument | undefined> {
    const sql = `${this.#document} WHERE source = $1`;
    return (await this.#query<StoredDocument>("read a document", sql, [source]))[0];
  }

  documents(after: string | undefined, limit: number): Promise<readonly StoredDocument[]> {
    const sql = `${this.#document} WHERE source > $1 ORDER BY source LIMIT $2`;
    return this.#query("read documents", sql, [after ?? "", limit]);
  }

  async ids(source: string): Promise<readonly string[]> {
    const sql = `SELECT id FROM ${this.#passages} WHERE source = $1 ORDER BY row`;
    return (await this.#query<{ id: string }>("read a document", sql, [source])).map(({ id }) => id);
  }

  remove(source: string | undefined): Promise<number> {
    return this.#write("remove passages", async (client) => {
      const which = source === undefined ? "true" : "source = $1";
      const values = source === undefined ? [] : [source];
      await client.query(`DELETE FROM ${this.#documents} WHERE ${which}`, values);
      return this.#drop(client, which, values);
    });
  }

  async count(terms: readonly string[]): ReturnType<KnowledgeDatabase["count"]> {
    const sql = `
      SELECT (SELECT count(*) FROM ${this.#passages})::int AS total, ARRAY(
        SELECT (SELECT count(*) FROM ${this.#passages} WHERE words @@ lexeme::tsquery)
        FROM unnest($1::text[]) WITH ORDINALITY AS asked (lexeme, place) ORDER BY place)::int[] AS counts`;
    const [found] = await this.#query<{ total: number; counts: number[] }>("search", sql, [
      terms.map(lexemeOf),
    ]);
    return {
      total: found!.total,
      counts: new Map(terms.map((term, index) => [term, found!.counts[index]!])),
    };
  }

  async withTerms(...[terms, limit]: Parameters<KnowledgeDatabase["withTerms"]>): Promise<readonly number[]> {
    const sql = `
      SELECT row::float8 AS row FROM ${this.#passages} WHERE words @@ $1::tsquery
      ORDER BY (SELECT sum(weight) FROM unnest($2::text[], $3::float8[]) AS asked (lexeme, weight) WHERE words @@ lexeme::tsquery) DESC, length(words), row
      LIMIT $4`;
    const words = terms.map(({ term }) => term);
    const values = [tsqueryAnyOf(words), words.map(lexemeOf), terms.map(({ weight }) => weight), limit];
    return (await this.#query<{ row: number }>("search", sql, values)).map(({ row }) => row);
  }

  near(vector: Float32Array, limit: number): Promise<readonly Near[]> {
    return this.#tables.run("search", async (pool, hasPgvector) => {
      if (hasPgvector) {
        const sql = `
          SELECT row::float8 AS row, 1 - (vector::vector <=> $1::real[]::vector) AS similarity FROM ${this.#passages}
          WHERE vector IS NOT NULL ORDER BY vector::vector <=> $1::real[]::vector LIMIT $2`;
        const { rows } = await pool.query<Near>(sql, [[...vector], limit]);
        return rows.filter(({ similarity }) => similarity > 0);
      }
      const about = `
        SELECT (SELECT count(*) FROM ${this.#passages} WHERE vector IS NOT NULL)::int AS total, value AS version
        FROM ${this.#about} WHERE key = 'version'`;
      const { total, version } = (await pool.query<{ total: number; version: string }>(about)).rows[0]!;
      if (total <= (this.#options.maxInMemory ?? 50_000)) {
        if (this.#table?.version !== version) {
          const vectors = new VectorTable(total, vector.length);
          await this.#each(pool, (row, each) => vectors.add(row, each));
          this.#table = { version, vectors };
        }
        return this.#table.vectors.nearest(vector, limit);
      }
      const nearest = new Nearest(vector, limit);
      await this.#each(pool, (row, each) => nearest.compare(row, each));
      return nearest.found;
    });
  }

  /** Reads all vectors, some at a time. */
  async #each(pool: Pool, use: (row: number, vector: Float32Array) => void): Promise<void> {
    const sql = `SELECT row::float8 AS row, vector FROM ${this.#passages} WHERE vector IS NOT NULL AND row > $1 ORDER BY row LIMIT ${PAGE}`;
    let after = 0;
    for (;;) {
      const { rows } = await pool.query<{ row: number; vector: number[] }>(sql, [after]);
      for (const { row, vector } of rows) use(row, Float32Array.from(vector));
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.row;
    }
  }

  passages(rows: readonly number[]): Promise<readonly StoredPassage[]> {
    const sql = `SELECT row::float8 AS row, id, source, text, meta FROM ${this.#passages} WHERE row = ANY ($1::bigint[])`;
    return this.#query("search", sql, [rows]);
  }

  async close(): Promise<void> {
    await this.#tables.close();
    this.#table = undefined;
  }
}

/**
 * Keeps knowledge in Postgres (13 or later), for any number of machines; needs the package `pg`. Vectors are compared by pgvector where
 * the server has it, else in this process. Throws `config/invalid` unless there is either a `connectionString` or a `pool`.
 *
 * @example
 * ```ts
 * import { postgresKnowledge } from "agentchart/knowledge";
 *
 * export const manuals = postgresKnowledge({ connectionString: "postgres://localhost/app", schema: "manuals" });
 * ```
 */
export function postgresKnowledge(options: PostgresKnowledgeOptions): KnowledgeStore {
  check(postgresKnowledgeSchema(), options, "postgresKnowledge");
  return sqlKnowledge(new PostgresDatabase(options), options.now);
}
