import { check } from "../core/base/options.ts";
import type { SessionStore } from "./port.ts";
import { settlingAppend } from "./deadlines.ts";
import { sqlStore } from "./sql-store.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import { sqliteSchema, type SqliteStoreOptions } from "./store-options.ts";

export type { SqliteStoreOptions };

/**
 * A store in one SQLite file, for any number of processes on one machine. SQLite is part of Node. Throws `config/invalid` for
 * unknown options and without a `path`.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { sqliteStore } from "agentchart/store/sqlite";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const store = sqliteStore({ path: "./sessions.db" });
 * const agent = createAgent({ name: "desk", model: scriptedModel(["Hello."]), store, sessionId: "customer-42" });
 * ```
 */
export function sqliteStore(options: SqliteStoreOptions): SessionStore {
  check(sqliteSchema(), options, "sqliteStore");
  const { path, fsync = "rest", watchEveryMs = 100, now = Date.now } = options;
  const store = sqlStore(new SqliteDatabase(path, fsync, watchEveryMs), now);
  settlingAppend(store.append, 0); // it has written when it returns
  return store;
}
