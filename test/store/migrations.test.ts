// Migrations of tables of earlier releases.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import type { SessionStore } from "agentchart";
import { postgresStore } from "../../src/store/postgres.ts";
import { migrateSqlite } from "../../src/store/sql/sqlite.ts";
import { MIGRATIONS } from "../../src/store/sqlite-schema.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { collectAll } from "../../src/testing/store-contract-kit.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { scratch } from "./scratch.ts";

/** What a store of tables of version 1 holds must be there for every later one. */
async function check(store: SessionStore): Promise<void> {
  expect(await store.load("old")).toEqual({ seq: 1, position: { phase: "suspended" } });
  expect(await store.takeInputs("old", 9)).toEqual([
    { id: "a", data: { n: 1 } },
    { id: "b", data: { n: 2 } },
  ]);
  const lease = (await store.acquire("old", { owner: "ben", ttlMs: 1_000 }))!;
  expect(lease).toMatchObject({ fence: 8, takeovers: 1 });
  await store.putInput("old", { id: "c", data: {}, dueAt: 5 });
  expect((await store.takeInputs("old", 9)).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(await store.listDue({ before: 0 })).toEqual({ sessionIds: [] });
  const entry = (seq: number) => ({ seq, at: 1, type: "fact", data: {} });
  await store.append("old", { expectedSeq: 1, fence: 8, entries: [], position: { phase: "running" } });
  expect(await store.load("old")).toEqual({ seq: 1, position: { phase: "running" } });
  await store.append("old", {
    expectedSeq: 1,
    fence: 8,
    entries: [entry(2)],
    position: { phase: "stopped" },
  });
  expect(await store.load("old")).toEqual({ seq: 2, position: { phase: "stopped" } });
  expect(await collectAll(store.read("old"))).toEqual([entry(1), entry(2)]);
  expect(await collectAll(store.read("old", { after: 1 }))).toEqual([entry(2)]);
  await store.close();
}

test("SQLite tables of version 1 are migrated and keep their rows", async () => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const path = join(dir, "old.sqlite");
  const db = new DatabaseSync(path);
  db.exec(`
    CREATE TABLE sessions (session_id TEXT PRIMARY KEY, seq INTEGER NOT NULL DEFAULT 0, fence INTEGER NOT NULL, owner TEXT,
      expires_at REAL NOT NULL DEFAULT 0, position TEXT, phase TEXT, wake_at REAL, meta TEXT NOT NULL DEFAULT '{}',
      labels TEXT NOT NULL DEFAULT '[]', updated_at REAL NOT NULL DEFAULT 0) WITHOUT ROWID;
    CREATE INDEX sessions_by_phase ON sessions (phase, session_id);
    CREATE INDEX sessions_by_wake_at ON sessions (wake_at) WHERE wake_at IS NOT NULL;
    CREATE TABLE checkpoints (session_id TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE entries (session_id TEXT NOT NULL, seq INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (session_id, seq));
    CREATE TABLE inputs (n INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, id TEXT NOT NULL, data TEXT,
      UNIQUE (session_id, id));
    CREATE INDEX inputs_waiting ON inputs (session_id, n) WHERE data IS NOT NULL;
    CREATE TABLE last_fence (value INTEGER NOT NULL);
    INSERT INTO last_fence VALUES (0);
    PRAGMA user_version = 1;
    INSERT INTO sessions (session_id, seq, fence, owner, position, phase)
      VALUES ('old', 1, 7, 'anna', '{"phase":"suspended"}', 'suspended');
    INSERT INTO entries VALUES ('old', 1, '{"seq":1,"at":1,"type":"fact","data":{}}');
    INSERT INTO inputs (session_id, id, data) VALUES ('old', 'a', '{"n":1}'), ('old', 'done', NULL), ('old', 'b', '{"n":2}');`);
  db.close();
  await check(sqliteStore({ path }));
});

test("SQLite tables that a newer release migrates at the same moment stay at its version", () => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const path = join(dir, "new.sqlite");
  const [db, newer] = [new DatabaseSync(path), new DatabaseSync(path)];
  const exec = db.exec.bind(db);
  vi.spyOn(db, "exec").mockImplementation((sql) => {
    if (sql.startsWith("BEGIN")) newer.exec("PRAGMA user_version = 99");
    exec(sql);
  });
  expect(() => migrateSqlite(db, MIGRATIONS)).toThrow(expect.objectContaining({ code: "session/version" }));
  expect(newer.prepare("PRAGMA user_version").get()).toEqual({ user_version: 99 });
  expect(db.isTransaction).toBe(false);
  for (const each of [db, newer]) each.close();
});

const server = await startPostgres();
afterAll(() => server?.stop());
test.skipIf(!server)(
  `Postgres tables of version 1 are migrated and keep their rows${server ? "" : ` (${NO_POSTGRES})`}`,
  async () => {
    const { connectionString } = server!;
    const schema = `old_${randomUUID().slice(0, 8)}`;
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(`
    CREATE SCHEMA ${schema}; SET search_path = ${schema};
    CREATE TABLE migrations (version int PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
    INSERT INTO migrations VALUES (1);
    CREATE TABLE sessions (session_id text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL DEFAULT 0, fence bigint NOT NULL DEFAULT 0,
      owner text, expires_at double precision NOT NULL DEFAULT 0, position json, phase text, wake_at double precision,
      meta json NOT NULL DEFAULT '{}', labels text[] NOT NULL DEFAULT '{}', updated_at double precision NOT NULL DEFAULT 0);
    CREATE INDEX sessions_by_phase ON sessions (phase, session_id);
    CREATE INDEX sessions_by_wake_at ON sessions (wake_at) WHERE wake_at IS NOT NULL;
    CREATE INDEX sessions_by_label ON sessions USING gin (labels);
    CREATE TABLE checkpoints (session_id text COLLATE "C" PRIMARY KEY, data json NOT NULL);
    CREATE TABLE entries (session_id text COLLATE "C" NOT NULL, seq bigint NOT NULL, entry json NOT NULL, PRIMARY KEY (session_id, seq));
    CREATE TABLE inputs (session_id text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
      n bigint GENERATED ALWAYS AS IDENTITY, data json, PRIMARY KEY (session_id, id));
    CREATE INDEX inputs_waiting ON inputs (session_id, n) WHERE data IS NOT NULL;
    CREATE TABLE last_fence (value bigint NOT NULL);
    INSERT INTO last_fence VALUES (0);
    INSERT INTO sessions (session_id, seq, fence, owner, position, phase)
      VALUES ('old', 1, 7, 'anna', '{"phase":"suspended"}', 'suspended');
    INSERT INTO entries VALUES ('old', 1, '{"seq":1,"at":1,"type":"fact","data":{}}');
    INSERT INTO inputs (session_id, id, data) VALUES ('old', 'a', '{"n":1}'), ('old', 'done', NULL), ('old', 'b', '{"n":2}');`);
    await check(postgresStore({ connectionString, schema }));
    await client.query(`DROP SCHEMA ${schema} CASCADE`);
    await client.end();
  },
);
