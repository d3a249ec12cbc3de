import type { SessionSearch } from "./port.ts";
import { labelsOf, keyAfterPrefix, leftOut, toKey } from "./shared.ts";
import { queryWords } from "./search-words.ts";
import type { Transaction } from "./sql/transaction.ts";

/** The part of a session that an index of sessions has: a row, its labels, and its words. `n` is the number that the index gives it. */
export type SearchDialect = {
  /** Qualifies table names, as SQL. */
  readonly schema: string;
  /** A condition: the id is not in the array of strings in parameter `parameter`. */
  isNoneOf(parameter: number): string;
  /** An array of strings as a parameter. */
  array(strings: readonly string[]): unknown;
  /** A query of the column `n` of sessions that have the word of parameter `parameter`. */
  withWord(parameter: number): string;
  /** The value of that parameter. */
  word(word: string, isPrefix: boolean): string;
  /** Adds words to session `n`. */
  addWords(n: unknown, words: readonly string[]): Transaction<void>;
  /** The statements to run after many sessions were added. */
  readonly afterMany: readonly string[];
  /** Removes the words of the session with the id `$1`. */
  readonly removeWords: readonly string[];
};

const ofSession = (schema: string): string =>
  `n IN (SELECT n FROM ${schema}.search_sessions WHERE session_id = $1)`;

/** In SQLite the words of a session are documents of FTS5, whose text is not stored. They are words with spaces between them already:
 *  the tokenizer `ascii` splits at those only. */
export const SQLITE_SEARCH: SearchDialect = {
  schema: "main",
  isNoneOf: (parameter) => `session_id NOT IN (SELECT value FROM json_each($${parameter}))`,
  array: (strings) => JSON.stringify(strings),
  withWord: (parameter) =>
    `SELECT n FROM search_texts WHERE row IN (SELECT rowid FROM search_words WHERE search_words MATCH $${parameter})`,
  word: (word, isPrefix) => `"${word}"${isPrefix ? " *" : ""}`,
  *addWords(n, words) {
    const [added] = yield ["INSERT INTO search_texts (n) VALUES ($1) RETURNING row", [n]];
    yield ["INSERT INTO search_words (rowid, words) VALUES ($1, $2)", [added!["row"], words.join(" ")]];
  },
  afterMany: [],
  removeWords: [
    `DELETE FROM search_words WHERE rowid IN (SELECT row FROM search_texts WHERE ${ofSession("main")})`,
    `DELETE FROM search_texts WHERE ${ofSession("main")}`,
  ],
};

/** The tables of an index in SQLite. */
export const SQLITE_SEARCH_TABLES = `
  CREATE TABLE search_sessions (
    n INTEGER PRIMARY KEY, session_id TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, seq INTEGER NOT NULL, updated_at REAL NOT NULL,
    phase TEXT NOT NULL, waits INTEGER NOT NULL, reason TEXT, agent TEXT, cost REAL, found TEXT NOT NULL
  );
  CREATE INDEX search_sessions_by_time ON search_sessions (updated_at, session_id);
  CREATE TABLE search_labels (label TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (label, n)) WITHOUT ROWID;
  CREATE INDEX search_labels_of ON search_labels (n);
  CREATE TABLE search_texts (row INTEGER PRIMARY KEY, n INTEGER NOT NULL);
  CREATE INDEX search_texts_of ON search_texts (n);
  CREATE VIRTUAL TABLE search_words USING fts5(words, content='', contentless_delete=1, detail=none, prefix='1 2 3', tokenize='ascii');`;

/** In Postgres the words of a session are rows of `tsvector`, which every server has. */
export const postgresSearch = (schema: string): SearchDialect => ({
  schema,
  isNoneOf: (parameter) => `session_id <> ALL ($${parameter}::text[])`,
  array: (strings) => strings,
  withWord: (parameter) =>
    `SELECT n FROM ${schema}.search_texts WHERE words @@ CAST($${parameter} AS tsquery)`,
  word: (word, isPrefix) => `'${word}'${isPrefix ? ":*" : ""}`,
  *addWords(n, words) {
    const sql = `INSERT INTO ${schema}.search_texts (n, words) VALUES ($1, array_to_tsvector($2::text[]))`;
    yield [sql, [n, words]];
  },
  // until it knows how many there are, Postgres may look at all words for each session
  afterMany: ["search_sessions", "search_labels", "search_texts"].map((name) => `ANALYZE ${schema}.${name}`),
  removeWords: [`DELETE FROM ${schema}.search_texts WHERE ${ofSession(schema)}`],
});

/** The tables of an index in Postgres; `S` stands for the schema. */
export const POSTGRES_SEARCH_TABLES = `
  CREATE TABLE S.search_sessions (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session_id text COLLATE "C" NOT NULL UNIQUE, stamp text NOT NULL,
    seq bigint NOT NULL, updated_at double precision NOT NULL, phase text NOT NULL, waits int NOT NULL, reason text, agent text,
    cost double precision, found text NOT NULL
  );
  CREATE INDEX search_sessions_by_time ON S.search_sessions (updated_at, session_id);
  CREATE TABLE S.search_labels (label text COLLATE "C" NOT NULL, n bigint NOT NULL, PRIMARY KEY (label, n));
  CREATE INDEX search_labels_of ON S.search_labels (n);
  CREATE TABLE S.search_texts (n bigint NOT NULL, words tsvector NOT NULL);
  CREATE INDEX search_texts_of ON S.search_texts (n);
  CREATE INDEX search_texts_words ON S.search_texts USING gin (words);`;

/** The statements of an index. */
export function searchStatements({ schema, removeWords }: SearchDialect) {
  return {
    stamps: `SELECT session_id, stamp FROM ${schema}.search_sessions`,
    known: `SELECT n, seq, stamp, found FROM ${schema}.search_sessions WHERE session_id = $1`,
    // `$11`: the seq up to which the session was indexed; another process may have indexed it in the meantime
    put: `
      INSERT INTO ${schema}.search_sessions AS s
        (session_id, stamp, seq, updated_at, phase, waits, reason, agent, cost, found)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      ON CONFLICT (session_id) DO UPDATE SET stamp = $2, seq = $3, updated_at = $4, phase = $5, waits = $6, reason = $7, agent = $8,
        cost = $9, found = $10 WHERE s.seq = $11
      RETURNING n`,
    addLabel: `INSERT INTO ${schema}.search_labels (label, n) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
    removeLabels: `DELETE FROM ${schema}.search_labels WHERE ${ofSession(schema)}`,
    /** Removes a session with all that is known of it; in this order. */
    remove: [
      ...removeWords,
      `DELETE FROM ${schema}.search_labels WHERE ${ofSession(schema)}`,
      `DELETE FROM ${schema}.search_sessions WHERE session_id = $1`,
    ],
    /** One row at least: `total` is in each. `place`: a condition on the place in the order of results. */
    find: (condition: string, place: string, limit: number) => `
      WITH hits AS MATERIALIZED (SELECT n, updated_at, session_id FROM ${schema}.search_sessions WHERE ${condition}),
      page AS (SELECT n FROM hits WHERE ${place} ORDER BY updated_at DESC, session_id DESC LIMIT $${limit})
      SELECT c.total, s.found, s.updated_at, s.session_id
      FROM (SELECT count(*) AS total FROM hits) AS c
        LEFT JOIN (page JOIN ${schema}.search_sessions AS s ON s.n = page.n) ON 1 = 1
      ORDER BY s.updated_at DESC, s.session_id DESC`,
  };
}

/** The label of a session whose model has asked for a tool. No label of `meta` begins so. */
export const toolLabel = (name: string): string => `tool ${toKey(name)}`;

/** A place in the order of results: after the session with this time and id. */
type SearchPlace = readonly [updatedAt: number, key: string];

/** The WHERE clause of a search, and the values of its parameters. */
export function searchCondition(
  dialect: SearchDialect,
  {
    text = "",
    prefix,
    except,
    agent,
    phases,
    reasons,
    isWaiting,
    tool,
    meta,
    since,
    until,
    minCost,
    maxCost,
  }: SessionSearch,
  after?: SearchPlace,
): { readonly condition: string; readonly place: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const conditions = ["1 = 1", ...leftOut(prefix)];
  const value = (each: unknown): string => `$${values.push(each)}`;
  const add = (condition: string, each: unknown): void => {
    if (each !== undefined) conditions.push(`${condition} ${value(each)}`);
  };
  const oneOf = (column: string, wanted: readonly string[] | undefined): void => {
    if (wanted)
      conditions.push(wanted.length === 0 ? "1 = 0" : `${column} IN (${wanted.map(value).join(", ")})`);
  };
  if (prefix !== undefined && prefix !== "") {
    add("session_id >=", toKey(prefix));
    add("session_id <", keyAfterPrefix(toKey(prefix)));
  }
  if (except && except.length > 0)
    conditions.push(dialect.isNoneOf(values.push(dialect.array(except.map(toKey)))));
  add("agent =", agent === undefined ? undefined : toKey(agent));
  oneOf("phase", phases);
  oneOf("reason", reasons);
  if (isWaiting !== undefined) conditions.push(`waits = ${isWaiting ? 1 : 0}`);
  add("updated_at >=", since);
  add("updated_at <", until);
  add("cost >=", minCost);
  add("cost <=", maxCost);
  const labels = [...(tool === undefined ? [] : [toolLabel(tool)]), ...(meta ? labelsOf(meta) : [])];
  for (const label of labels)
    conditions.push(`n IN (SELECT n FROM ${dialect.schema}.search_labels WHERE label = ${value(label)})`);
  for (const { word, isPrefix } of queryWords(text))
    conditions.push(`n IN (${dialect.withWord(values.push(dialect.word(word, isPrefix)))})`);
  if (text.trim() !== "" && queryWords(text).length === 0) conditions.push("1 = 0"); // "?" stands nowhere
  const place = after ? `(updated_at, session_id) < (${value(after[0])}, ${value(after[1])})` : "1 = 1";
  return { condition: conditions.join(" AND "), place, values };
}
