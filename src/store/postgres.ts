import { check } from "../core/base/options.ts";
import { STORE_TIMEOUT_MS } from "./deadlines.ts";
import type { SessionStore } from "./port.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { sqlStore } from "./sql-store.ts";
import { postgresSchema, type PostgresStoreOptions } from "./store-options.ts";

export type { PostgresStoreOptions };

/**
 * A store in Postgres (13 or later), for any number of machines; needs the package `pg`. An append of a session that is watched sends a notification, and a
 * watcher that lost its connection gets another one. Whether an acknowledged append survives a power loss is decided by the
 * server's `synchronous_commit`. Throws `config/invalid` unless there is either a `connectionString` or a `pool`.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { postgresStore } from "agentchart/store/postgres";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const store = postgresStore({ connectionString: "postgres://localhost/app" });
 * const agent = createAgent({ name: "desk", model: scriptedModel(["Hello."]), store, sessionId: "customer-42" });
 * ```
 */
export function postgresStore(options: PostgresStoreOptions): SessionStore {
  check(postgresSchema(), options, "postgresStore");
  const { timeoutMs = STORE_TIMEOUT_MS, now } = options;
  return Object.assign(
    sqlStore(new PostgresDatabase(options, timeoutMs), () => now?.() ?? null),
    { timeoutMs },
  );
}
