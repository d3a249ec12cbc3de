import type { DatabaseSync } from "node:sqlite";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { EmbedderInfo } from "../../core/model/embedder.ts";
import { inSqliteTransaction, migrateSqlite, SqliteTables } from "../../store/sql/sqlite.ts";
import { ftsAnyOf } from "../../store/sql/words.ts";
import { Pauses } from "./pauses.ts";
import type { KnowledgeStore } from "./port.ts";
import {
  sqlKnowledge,
  type KnowledgeDatabase,
  type StoredDocument,
  type StoredPassage,
} from "./sql-knowledge.ts";
import {
  bytesOf,
  Nearest,
  vectorOf,
  VectorTable,
  type Near,
  type StoredEmbedder,
} from "../../core/model/vectors.ts";

/** Options of {@link sqliteKnowledge}. */
export type SqliteKnowledgeOptions = {
  /** A file, made with its folder when first used, or `:memory:`. */
  readonly path: string;
  /** Up to how many passages their vectors are cached once searched; default 50,000. Above it they are compared by the package
   *  `sqlite-vec` if it is installed, else read from the file by each search. */
  readonly maxInMemory?: number | undefined;
  /** The clock, epoch ms; default `Date.now`. */
  readonly now?: (() => number) | undefined;
};

/** The schema of {@link SqliteKnowledgeOptions}. */
export const sqliteKnowledgeSchema = s.lazily(() =>
  s.options<SqliteKnowledgeOptions>(
    {
      path: s.nonEmpty("the path of a file, or :memory:"),
      maxInMemory: s.optional(s.integer(0)),
      now: s.optional(s.func<() => number>()),
    },
    { what: 'options, such as { path: "./knowledge.db" }' },
  ),
);

// The terms are words with spaces between them already: the tokenizer `ascii` splits at those only.
const MIGRATIONS = [
  `CREATE TABLE IF NOT EXISTS passages (row INTEGER PRIMARY KEY, id text NOT NULL UNIQUE, source text NOT NULL, text text NOT NULL, meta text NOT NULL);
  CREATE INDEX IF NOT EXISTS passages_of ON passages (source);
  CREATE TABLE IF NOT EXISTS vectors (row INTEGER PRIMARY KEY, vector blob NOT NULL);
  CREATE TABLE IF NOT EXISTS documents (source text PRIMARY KEY, hash text, at double precision NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS about (key text PRIMARY KEY, value text NOT NULL) WITHOUT ROWID;
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(terms, content='', contentless_delete=1, tokenize='ascii');
  CREATE VIRTUAL TABLE IF NOT EXISTS word_counts USING fts5vocab(words, 'row')`,
];

function makeTables(db: DatabaseSync): void {
  db.enableLoadExtension(false);
  migrateSqlite(db, MIGRATIONS, "knowledge");
}

/** Loads `sqlite-vec`; false if it is not installed or not for this machine. */
async function loadVectorFunctions(db: DatabaseSync): Promise<boolean> {
  try {
    const { load } = await import("sqlite-vec");
    db.enableLoadExtension(true);
    load(db);
    return true;
  } catch {
    return false;
  } finally {
    db.enableLoadExtension(false);
  }
}

/** The number of rows that are read without a pause. */
const ROWS_PER_PAGE = 1_000;

const DOCUMENT =
  "SELECT source, hash, at, (SELECT count(*) FROM passages p WHERE p.source = d.source) AS passages FROM documents d";

class SqliteDatabase implements KnowledgeDatabase {
  readonly #maxInMemory: number;
  readonly #tables: SqliteTables;
  #loading: Promise<boolean> | undefined;
  #writes = 0;
  #table: { readonly version: string; readonly vectors: VectorTable } | undefined;

  constructor({ path, maxInMemory = 50_000 }: SqliteKnowledgeOptions) {
    this.#tables = new SqliteTables(path, makeTables, { allowExtension: true });
    this.#maxInMemory = maxInMemory;
  }

  /** Runs `change` as one transaction; it does not wait for anything, so that no other one comes between. */
  #write(operation: string, change: (db: DatabaseSync) => void): Promise<void> {
    return this.#tables.run(operation, (db) => {
      this.#writes++;
      inSqliteTransaction(db, () => change(db));
    });
  }

  embedder(): Promise<StoredEmbedder> {
    return this.#tables.run("read the embedder", readEmbedder);
  }

  put(...[source, rows, embedder, accept, at]: Parameters<KnowledgeDatabase["put"]>): Promise<void> {
    return this.#write("keep passages", (db) => {
      accept(readEmbedder(db));
      db.prepare("INSERT OR IGNORE INTO about VALUES ('embedder', ?)").run(JSON.stringify(embedder));
      db.prepare(
        "INSERT INTO documents VALUES (?, NULL, ?) ON CONFLICT (source) DO UPDATE SET hash = NULL",
      ).run(source, at);
      const passage = db.prepare(
        "INSERT INTO passages (id, source, text, meta) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET meta = excluded.meta RETURNING row",
      );
      const vectors = db.prepare("INSERT OR REPLACE INTO vectors VALUES (?, ?)");
      const words = db.prepare("INSERT OR REPLACE INTO words (rowid, terms) VALUES (?, ?)");
      for (const { id, text, meta, terms, vector } of rows) {
        const { row } = passage.get(id, source, text, meta) as { readonly row: number };
        words.run(row, terms.join(" "));
        if (vector) vectors.run(row, bytesOf(vector));
      }
    });
  }

  async finish(source: string, hash: string, ids: readonly string[], at: number): Promise<void> {
    const gone = await this.#rowsBeside(source, ids);
    return this.#write("finish a document", (db) => {
      if (gone.length > 0)
        drop(db, "source = ? AND row IN (SELECT value FROM json_each(?))", source, JSON.stringify(gone));
      db.prepare("INSERT OR REPLACE INTO documents VALUES (?, ?, ?)").run(source, hash, at);
    });
  }

  /** The rows of the passages of a document that have none of these ids. Others get their turn in between. */
  async #rowsBeside(source: string, ids: readonly string[]): Promise<readonly number[]> {
    const pauses = new Pauses(new AbortController().signal);
    const kept = new Set<string>();
    for (const id of ids) {
      kept.add(id);
      if (pauses.isDue) await pauses.pause();
    }
    const gone: number[] = [];
    const sql = "SELECT row, id FROM passages WHERE source = ? AND row > ? ORDER BY row LIMIT ?";
    for (let last = 0; ;) {
      const page = (await this.#tables.run("finish a document", (db) =>
        db.prepare(sql).all(source, last, ROWS_PER_PAGE),
      )) as unknown as readonly { readonly row: number; readonly id: string }[];
      for (const { row, id } of page) if (!kept.has(id)) gone.push(row);
      if (page.length < ROWS_PER_PAGE) return gone;
      last = page.at(-1)!.row;
      await pauses.pause();
    }
  }

  document(source: string): Promise<StoredDocument | undefined> {
    return this.#tables.run("read a document", (db) => {
      return db.prepare(`${DOCUMENT} WHERE source = ?`).get(source) as StoredDocument | undefined;
    });
  }

  documents(after: string | undefined, limit: number): Promise<readonly StoredDocument[]> {
    return this.#tables.run("read documents", (db) => {
      const sql = `${DOCUMENT} WHERE source > ? ORDER BY source LIMIT ?`;
      return db.prepare(sql).all(after ?? "", limit) as unknown as readonly StoredDocument[];
    });
  }

  ids(source: string): Promise<readonly string[]> {
    return this.#tables.run("read a document", (db) =>
      db
        .prepare("SELECT id FROM passages WHERE source = ? ORDER BY row")
        .all(source)
        .map(({ id }) => String(id)),
    );
  }

  async remove(source: string | undefined): Promise<number> {
    let removed = 0;
    await this.#write("remove passages", (db) => {
      removed = source === undefined ? drop(db, "true") : drop(db, "source = ?", source);
      if (source === undefined) db.exec("DELETE FROM documents");
      else db.prepare("DELETE FROM documents WHERE source = ?").run(source);
    });
    return removed;
  }

  count(terms: readonly string[]): ReturnType<KnowledgeDatabase["count"]> {
    return this.#tables.run("search", (db) => {
      const { total } = db.prepare("SELECT count(*) AS total FROM passages").get() as {
        readonly total: number;
      };
      const count = db.prepare("SELECT doc FROM word_counts WHERE term = ?");
      return { total, counts: new Map(terms.map((term) => [term, Number(count.get(term)?.["doc"] ?? 0)])) };
    });
  }

  withTerms(...[terms, limit]: Parameters<KnowledgeDatabase["withTerms"]>): Promise<readonly number[]> {
    return this.#tables.run("search", (db) => {
      const match = ftsAnyOf(terms.map(({ term }) => term));
      const sql = "SELECT rowid AS row FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?";
      return db
        .prepare(sql)
        .all(match, limit)
        .map(({ row }) => Number(row));
    });
  }

  near(vector: Float32Array, limit: number): Promise<readonly Near[]> {
    return this.#tables.run("search", async (db) => {
      const { total } = db.prepare("SELECT count(*) AS total FROM vectors").get() as {
        readonly total: number;
      };
      if (total <= this.#maxInMemory) return this.#loaded(db, total, vector.length).nearest(vector, limit);
      if (await (this.#loading ??= loadVectorFunctions(db))) {
        const sql =
          "SELECT row, 1 - vec_distance_cosine(vector, ?) AS similarity FROM vectors ORDER BY similarity DESC LIMIT ?";
        const found = db.prepare(sql).all(bytesOf(vector), limit) as unknown as readonly Near[];
        return found.filter(({ similarity }) => similarity > 0);
      }
      const nearest = new Nearest(vector, limit);
      for (const each of vectorsOf(db)) nearest.compare(each.row, vectorOf(each.vector));
      return nearest.found;
    });
  }

  /** The vectors in memory, read again after a change by this or another process. */
  #loaded(db: DatabaseSync, total: number, dimensions: number): VectorTable {
    const seen = db.prepare("PRAGMA data_version").get()!["data_version"];
    const version = `${String(seen)} ${this.#writes}`;
    if (this.#table?.version === version) return this.#table.vectors;
    const vectors = new VectorTable(total, dimensions);
    for (const { row, vector } of vectorsOf(db)) vectors.add(row, vectorOf(vector));
    this.#table = { version, vectors };
    return vectors;
  }

  passages(rows: readonly number[]): Promise<readonly StoredPassage[]> {
    return this.#tables.run("search", (db) => {
      const sql =
        "SELECT row, id, source, text, meta FROM passages WHERE row IN (SELECT value FROM json_each(?))";
      return db.prepare(sql).all(JSON.stringify(rows)) as unknown as readonly StoredPassage[];
    });
  }

  async close(): Promise<void> {
    this.#tables.close();
    this.#table = undefined;
  }
}

type VectorRow = { readonly row: number; readonly vector: Uint8Array };

const vectorsOf = (db: DatabaseSync): Iterable<VectorRow> =>
  db.prepare("SELECT row, vector FROM vectors").iterate() as unknown as Iterable<VectorRow>;

function readEmbedder(db: DatabaseSync): StoredEmbedder {
  const found = db.prepare("SELECT value FROM about WHERE key = 'embedder'").get();
  return found && (JSON.parse(String(found["value"])) as EmbedderInfo | null);
}

/** Removes passages, and returns how many. A store that has none left takes those of any embedder. */
function drop(db: DatabaseSync, which: string, ...values: readonly string[]): number {
  const rows = `SELECT row FROM passages WHERE ${which}`;
  db.prepare(`DELETE FROM words WHERE rowid IN (${rows})`).run(...values);
  db.prepare(`DELETE FROM vectors WHERE row IN (${rows})`).run(...values);
  const { changes } = db.prepare(`DELETE FROM passages WHERE ${which}`).run(...values);
  db.exec("DELETE FROM about WHERE key = 'embedder' AND NOT EXISTS (SELECT 1 FROM passages)");
  return Number(changes);
}

/**
 * Keeps knowledge in one SQLite file, for any number of processes on one machine. SQLite is part of Node. Throws `config/invalid` for
 * unknown options and without a `path`.
 *
 * @example
 * ```ts
 * import { knowledge, sqliteKnowledge } from "agentchart/knowledge";
 *
 * export const manuals = knowledge({ store: sqliteKnowledge({ path: "./manuals.db" }) });
 * ```
 */
export function sqliteKnowledge(options: SqliteKnowledgeOptions): KnowledgeStore {
  check(sqliteKnowledgeSchema(), options, "sqliteKnowledge");
  return sqlKnowledge(new SqliteDatabase(options), options.now);
}

/**
 * Keeps knowledge in this process, for tests.
 *
 * @example
 * ```ts
 * import { memoryKnowledge } from "agentchart/knowledge";
 *
 * const store = memoryKnowledge();
 * await store.put("faq.md", [{ text: "Refunds take five days." }]);
 * const [found] = await store.search({ text: "How long does a refund take?", limit: 1 });
 * ```
 */
export function memoryKnowledge(options: Omit<SqliteKnowledgeOptions, "path"> = {}): KnowledgeStore {
  return sqliteKnowledge({ ...options, path: ":memory:" });
}
