import type { Pool } from "pg";
import { AgentError } from "../../base/error.ts";
import * as s from "../../base/option-schema.ts";
import { check } from "../../base/options.ts";
import {
  CONNECTION,
  connectionShape,
  isConnection,
  newPool,
  type PostgresConnection,
} from "./postgres-pool.ts";
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

/** Two processes may make the same schema at once: one waits for the other. */
const migration = (schema: string, table: string): string => `
  SELECT pg_advisory_xact_lock(hashtext('agentchart memories'));
  CREATE SCHEMA IF NOT EXISTS ${schema};
  CREATE TABLE IF NOT EXISTS ${table} (${COLUMNS});
  ${ADDED_COLUMNS.map((column) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column}`).join("; ")}`;

function postgresDatabase({
  connectionString,
  pool,
  schema = "agentchart",
}: PostgresMemoryOptions): MemoryDatabase {
  const table = `"${schema}".memories`;
  let ready: Promise<Pool> | undefined;
  const open = async (): Promise<Pool> => {
    const opened = pool ?? (await newPool(connectionString!, "postgresMemory"));
    await opened.query(migration(`"${schema}"`, table));
    return opened;
  };
  return {
    table,
    async query(operation, sql, values) {
      try {
        const opening = (ready ??= open());
        opening.catch(() => (ready === opening ? (ready = undefined) : undefined)); // the next query tries again
        return (await (await opening).query<{ [column: string]: unknown }>(sql, [...values])).rows;
      } catch (error) {
        if (AgentError.is(error)) throw error;
        // Postgres may repeat data in its messages.
        throw new AgentError("store/failed", `Postgres: could not ${operation}.`, { cause: error });
      }
    },
    async close() {
      if (!pool) await (await ready?.catch(() => undefined))?.end();
      ready = undefined;
    },
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
