import type { SessionStore } from "./port.ts";
import { PostgresDatabase, type PostgresConnection } from "./postgres-database.ts";
import { sqlStore } from "./sql-store.ts";

/** Options of {@link postgresStore}. */
export type PostgresStoreOptions = PostgresConnection & {
  /** The clock of leases and lists, epoch ms; default: the clock of the database, so that workers' clocks need not agree. */
  readonly now?: () => number;
};

/**
 * Sessions in Postgres (13 or later), for any number of machines; needs the package `pg`. Every append notifies, and a watcher that
 * lost its connection gets another. What an append was acknowledged for survives what the server's `synchronous_commit` says.
 */
export function postgresStore(options: PostgresStoreOptions): SessionStore {
  return sqlStore(new PostgresDatabase(options), () => options.now?.() ?? null);
}
