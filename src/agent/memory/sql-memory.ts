import { createHash } from "node:crypto";
import { AgentError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import * as s from "../../base/option-schema.ts";
import { check } from "../../base/options.ts";
import { checkScope, type Memory, type MemoryStore, type NewMemory } from "./port.ts";
import { scoresOf } from "./score.ts";

/** A value of a column. */
export type SqlValue = string | number | null;
type Row = { readonly [column: string]: unknown };

/** One database, with `$1`, `$2` … for values. `query` rejects with AgentErrors. */
export type MemoryDatabase = {
  /** The table, as SQL names it. */
  readonly table: string;
  query(operation: string, sql: string, values: readonly SqlValue[]): Promise<readonly Row[]>;
  close(): Promise<void>;
};

/** What every store of memories takes. */
export type MemoryLimits = {
  /** How many memories a scope has at most, up to 10,000; default 1,000. The oldest are dropped. */
  readonly maxPerScope?: number;
  /** The clock, epoch ms; default `Date.now`. */
  readonly now?: () => number;
};

/** The schemas of {@link MemoryLimits}. */
export const limitsShape = () => ({
  maxPerScope: s.optional(s.integer(1, 10_000)),
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
    }),
  ),
);

/** The columns of the table. */
export const COLUMNS = `
  scope text NOT NULL, id text NOT NULL, batch text, text text NOT NULL, at double precision NOT NULL,
  expires_at double precision, meta text NOT NULL, PRIMARY KEY (scope, id)`;

const LIVE = "(expires_at IS NULL OR expires_at > $2)";

/** A text as every database takes it: Postgres has no zero characters. */
const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed().slice(0, MAX_TEXT);

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
  const live = (scope: string, limit: number, after?: readonly [number, string]) =>
    db.query(
      "read memories",
      `SELECT * FROM ${table} WHERE scope = $1 AND ${LIVE}${after ? " AND (at, id) < ($3, $4)" : ""}
       ORDER BY at DESC, id DESC LIMIT ${limit}`,
      [scope, now(), ...(after ?? [])],
    );
  return {
    async put(scope, given, { batch } = {}) {
      checkScope(scope);
      check(newMemorySchema(), given, "put", "The memories");
      if (batch !== undefined) {
        const sql = `SELECT id FROM ${table} WHERE scope = $1 AND batch = $2 ORDER BY at`;
        const known = await db.query("read memories", sql, [scope, batch]);
        if (known.length > 0) return known.map(({ id }) => String(id));
      }
      const texts = given.map((each) => ({ ...each, text: storable(each.text) }));
      const memories = new Map(texts.map((each) => [idOf(each.text), each]));
      if (memories.size === 0) return [];
      const rows = [...memories].map(([id, { text, meta = {}, expiresAt = null }]) => {
        newest = Math.max(now(), newest + 0.001); // keeps the order of those of one millisecond
        const at = newest;
        return [scope, id, batch ?? null, text, at, expiresAt, JSON.stringify(meta)];
      });
      const marks = rows.map((row, at) => `(${row.map((_, n) => `$${at * row.length + n + 1}`).join(", ")})`);
      const insert = `INSERT INTO ${table} (scope, id, batch, text, at, expires_at, meta) VALUES ${marks.join(", ")}
        ON CONFLICT (scope, id) DO UPDATE SET
          batch = excluded.batch, at = excluded.at, expires_at = excluded.expires_at, meta = excluded.meta`;
      await db.query("keep memories", insert, rows.flat());
      const kept = `SELECT id FROM ${table} WHERE scope = $1 AND ${LIVE} ORDER BY at DESC, id DESC LIMIT ${maxPerScope}`;
      const drop = `DELETE FROM ${table} WHERE scope = $1 AND id NOT IN (${kept})`;
      await db.query("drop old memories", drop, [scope, now()]);
      return [...memories.keys()];
    },
    async search(scope, { text, limit }) {
      const memories = (await live(checkScope(scope), maxPerScope)).map(memoryOf);
      const scores = scoresOf(
        text,
        memories.map((each) => each.text),
      );
      return memories
        .map((memory, index) => ({ ...memory, score: scores[index]! }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, limit);
    },
    async list(scope, { cursor, limit = 100 } = {}) {
      const rows = await live(
        checkScope(scope),
        limit + 1,
        cursor === undefined ? undefined : placeOf(cursor),
      );
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        memories: page.map(memoryOf),
        ...(rows.length > limit && last && { cursor: `${Number(last["at"])} ${String(last["id"])}` }),
      };
    },
    async remove(scope, ids) {
      checkScope(scope);
      if (ids?.length === 0) return 0;
      const which = ids ? ` AND id IN (${ids.map((_, index) => `$${index + 2}`).join(", ")})` : "";
      const sql = `DELETE FROM ${table} WHERE scope = $1${which} RETURNING id`;
      return (await db.query("remove memories", sql, [scope, ...(ids ?? [])])).length;
    },
    close: () => db.close(),
  };
}

function placeOf(cursor: string): readonly [number, string] {
  const [, at, id] = /^(\d+(?:\.\d+)?) (\S+)$/u.exec(cursor) ?? [];
  if (at === undefined || id === undefined)
    throw new AgentError("config/invalid", "list: `cursor` is not one that a page had.");
  return [Number(at), id];
}
