import { existsSync } from "node:fs";
import { AgentError } from "../core/base/error.ts";
import { failureCode } from "../core/base/failure-code.ts";
import { newPool, postgresTables } from "./sql/postgres.ts";
import { sqliteTables } from "./sql/sqlite.ts";

/** The version of the tables in a database, 0 if there are none, and that of this release. */
export type StoredTables = { readonly found: number; readonly newest: number };

const TIMEOUT_MS = 10_000;

/** Reads the version of the tables of a store without changing anything: opening a store migrates them. Returns undefined for a store in
 *  files. Rejects with `session/damaged` for a file that is not a database, and `store/failed` for a server that does not answer. */
export async function storedTables(kind: string, address: string): Promise<StoredTables | undefined> {
  if (kind === "file" || kind === "partitions") return undefined;
  if (kind === "sqlite") {
    const { MIGRATIONS } = await import("./sqlite-schema.ts");
    return { found: existsSync(address) ? sqliteTables(address) : 0, newest: MIGRATIONS.length };
  }
  const { MIGRATIONS } = await import("./postgres-schema.ts");
  const pool = await newPool("postgresStore", { connectionString: address, timeoutMs: TIMEOUT_MS, max: 1 });
  try {
    return { found: await postgresTables(pool, '"agentchart"'), newest: MIGRATIONS.length };
  } catch (cause) {
    const reason = failureCode(cause) ?? "no answer";
    throw new AgentError("store/failed", `Postgres could not be reached (${reason}).`, { cause });
  } finally {
    await pool.end();
  }
}
