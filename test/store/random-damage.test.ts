// Random damage is refused, or shows what was written.
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { fileStore } from "../../src/store/file.ts";
import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { damageBytes, damageLines } from "./damage-bytes.ts";
import { damageRows, type Rows } from "./damage-rows.ts";
import { expectSameOrRefused, fill, randomOf, ROUNDS, viewOf, type View } from "./random-damage.ts";
import { scratch } from "./scratch.ts";

const LIMIT_MS = 30 * 60_000;

function folder(): string {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  return dir;
}

/** Damages a storage many times; `round` does it once and returns what was done and what is shown after. */
async function repeat(
  before: View,
  mayLoseInputs: boolean,
  round: (random: ReturnType<typeof randomOf>) => Promise<readonly [damage: string, found: View]>,
): Promise<void> {
  expect(Object.values(before)).not.toContain("refused");
  let refused = 0;
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const [damage, found] = await round(randomOf(seed));
    if (expectSameOrRefused(found, before, `damage ${seed}: ${damage}`, mayLoseInputs)) refused++;
  }
  expect(refused).toBeGreaterThan(ROUNDS / 4);
}

test(
  "P8 damage of a session's files is refused, or shows what was written",
  async () => {
    const dir = folder();
    const whole = fileStore({ dir: join(dir, "whole") });
    await fill(whole);
    const view = async (path: string) => {
      const store = fileStore({ dir: path });
      const found = await viewOf(store);
      await store.close();
      return found;
    };
    cpSync(join(dir, "whole"), join(dir, "first"), { recursive: true });
    await repeat(await view(join(dir, "first")), false, async (random) => {
      const path = join(dir, "damaged");
      rmSync(path, { recursive: true, force: true });
      cpSync(join(dir, "whole"), path, { recursive: true });
      const name = random(3) === 0 ? "inbox.ndjson" : "journal.ndjson";
      const file = join(path, "s", name);
      const damage = random(2) === 0 ? damageBytes : damageLines;
      const [bytes, how] = damage(readFileSync(file), random);
      if (bytes) writeFileSync(file, bytes);
      else rmSync(file);
      return [`${how} of ${name}`, await view(path)];
    });
  },
  LIMIT_MS,
);

async function filledSqlite(): Promise<{ readonly whole: string; readonly path: string }> {
  const dir = folder();
  const whole = join(dir, "whole.db");
  const store = sqliteStore({ path: whole });
  await fill(store);
  await store.close();
  return { whole, path: join(dir, "damaged.db") };
}

async function viewOfSqlite(path: string): Promise<View> {
  const store = sqliteStore({ path });
  const found = await viewOf(store);
  await store.close();
  return found;
}

test(
  "P8 damage of the bytes of a SQLite file is refused, or shows what was written",
  async () => {
    const { whole, path } = await filledSqlite();
    copyFileSync(whole, path);
    await repeat(await viewOfSqlite(path), true, async (random) => {
      for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
      const [bytes, how] = damageBytes(readFileSync(whole), random);
      writeFileSync(path, bytes!);
      return [how, await viewOfSqlite(path)];
    });
  },
  LIMIT_MS,
);

test(
  "P8 damage of rows of SQLite is refused, or shows what was written",
  async () => {
    const { whole, path } = await filledSqlite();
    copyFileSync(whole, path);
    await repeat(await viewOfSqlite(path), false, async (random) => {
      copyFileSync(whole, path);
      const db = new DatabaseSync(path);
      const rows: Rows = {
        all: async (sql) => db.prepare(sql).all(),
        run: async (sql, values) => void db.prepare(sql.replaceAll(/\$\d/gu, "?")).run(...values),
      };
      const how = await damageRows(rows, random);
      db.close();
      return [how, await viewOfSqlite(path)];
    });
  },
  LIMIT_MS,
);

const server = await startPostgres();
afterAll(() => server?.stop());

test.skipIf(!server)(
  `P8 damage of rows of Postgres is refused, or shows what was written${server ? "" : ` (${NO_POSTGRES})`}`,
  async () => {
    const { connectionString } = server!;
    const schema = "agentchart_damage";
    const pool = new pg.Pool({ connectionString, options: `-c search_path=${schema}` });
    const store = postgresStore({ pool, schema });
    onTestFinished(async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    });
    await fill(store);
    const tables = ["sessions", "checkpoints", "entries", "inputs"];
    const each = async (statement: (table: string) => string) => pool.query(tables.map(statement).join(";"));
    await each((table) => `CREATE TABLE whole_${table} AS TABLE ${table}`);
    await repeat(await viewOf(store), false, async (random) => {
      const restore = `OVERRIDING SYSTEM VALUE TABLE whole_`;
      await each((table) => `DELETE FROM ${table}; INSERT INTO ${table} ${restore}${table}`);
      const rows: Rows = {
        all: async (sql) => (await pool.query(sql)).rows,
        run: async (sql, values) => void (await pool.query(sql, [...values])),
      };
      return [await damageRows(rows, random), await viewOf(store)];
    });
  },
  LIMIT_MS,
);
