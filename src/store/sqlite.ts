import { AgentError } from "../base/error.ts";
import { checkOptions } from "../base/options.ts";
import type { SessionStore } from "./port.ts";
import { sqlStore } from "./sql-store.ts";
import { SqliteDatabase, type SqliteOptions } from "./sqlite-database.ts";

/** Options of {@link sqliteStore}. */
export type SqliteStoreOptions = SqliteOptions & {
  /** The clock of leases and lists, epoch ms; default `Date.now`. */
  readonly now?: () => number;
};

/** Sessions in one SQLite file (built into Node), for any number of processes on one machine. */
export function sqliteStore(options: SqliteStoreOptions): SessionStore {
  const names = ["path", "fsync", "watchEveryMs", "now"];
  checkOptions(options, names, "sqliteStore", 'sqliteStore({ path: "./sessions.db" })');
  const { path, now = Date.now } = options;
  if (typeof path !== "string" || path === "")
    throw new AgentError("config/invalid", "sqliteStore: `path` must name a file, or be :memory:.");
  return sqlStore(new SqliteDatabase(options), now);
}
