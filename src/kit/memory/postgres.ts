import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import {
  CONNECTION,
  connectionShape,
  isConnection,
  type PostgresConnection,
} from "../../store/sql/postgres-connection.ts";
import { inPostgresTransaction, migratePostgres, PostgresTables, stepsOf } from "../../store/sql/postgres.ts";
import type { Row } from "../../store/sql/transaction.ts";
import type { MemoryStore } from "./port.ts";
import {
  ADDED_COLUMNS,
  COLUMNS,
  limitsShape,
  sqlMemory,
  type MemoryDatabase,
  type MemoryLimits,
} from "./sql-memory.ts";

/** Options of {@link postgresMemory}: either a `connectionString` or a `pool`. */
export type PostgresMemoryOptions = PostgresConnection & MemoryLimits;

/** The schema of {@link PostgresMemoryOptions}. */
export const postgresMemorySchema = s.lazily(() =>
  s.restricted(
    s.options<PostgresMemoryOptions>(
      {
        ...connectionShape(),
        ...limitsShape(),
      },
      { what: "options, such as { connectionString }" },
    ),
    isConnection,
    CONNECTION,
  ),
);

/** Tables of earlier releases have no version: the first migration takes them as they are. */
const MIGRATIONS = [
  `CREATE TABLE IF NOT EXISTS S.memories (${COLUMNS});
   ${ADDED_COLUMNS.map((column) => `ALTER TABLE S.memories ADD COLUMN IF NOT EXISTS ${column}`).join("; ")}`,
];

function postgresDatabase(options: PostgresMemoryOptions): MemoryDatabase {
  const schema = `"${options.schema ?? "agentchart"}"`;
  const table = `${schema}.memories`;
  const tables = new PostgresTables(options, "postgresMemory", (pool) =>
    inPostgresTransaction(pool, (client) => migratePostgres(client, schema, MIGRATIONS, "memory")),
  );
  return {
    table,
    query: (operation, [sql, values]) =>
      tables.run(operation, async (pool) => (await pool.query<Row>(sql, [...values])).rows),
    transaction: (operation, scope, run) =>
      tables.run(operation, (pool) =>
        inPostgresTransaction(pool, async (client) => {
          await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`${table} ${scope}`]);
          return stepsOf(run(), (sql, values) => client.query<Row>(sql, [...values]));
        }),
      ),
    close: () => tables.close(),
  };
}

/**
 * Keeps memories in Postgres (13 or later), for any number of machines; needs the package `pg`. Throws `config/invalid` unless there
 * is either a `connectionString` or a `pool`.
 *
 * @example
 * ```ts
 * import { postgresMemory } from "agentchart/memory";
 *
 * export const memories = postgresMemory({ connectionString: "postgres://localhost/app" });
 * ```
 */
export function postgresMemory(options: PostgresMemoryOptions): MemoryStore {
  check(postgresMemorySchema(), options, "postgresMemory");
  return sqlMemory(postgresDatabase(options), options);
}
