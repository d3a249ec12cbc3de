import { AgentError } from "../base/error.ts";
import { checkOptions } from "../base/options.ts";
import { LOCAL_OPTIONS, type LocalStoreOptions } from "./local-options.ts";
import type { SessionStore } from "./port.ts";
import { sqlStore } from "./sql-store.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

/** Options of {@link sqliteStore}. */
export type SqliteStoreOptions = LocalStoreOptions & {
  /** A file, made with its folder when first used, or `:memory:`. */
  readonly path: string;
};

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
  checkOptions(options, ["path", ...LOCAL_OPTIONS], "sqliteStore", 'sqliteStore({ path: "./sessions.db" })');
  const { path, fsync = "rest", watchEveryMs = 100, now = Date.now } = options;
  if (typeof path !== "string" || path === "")
    throw new AgentError("config/invalid", "sqliteStore: `path` must name a file, or be :memory:.");
  return sqlStore(new SqliteDatabase(path, fsync, watchEveryMs), now);
}
