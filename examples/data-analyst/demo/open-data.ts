import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildDatabase } from "../dataset/build-database.ts";
import { checkDatabase } from "../dataset/check-database.ts";
import { makeOrders } from "../make-orders.ts";
import type { AnalystDatabase } from "../tools/analyst-tools.ts";

export type OpenData = {
  readonly database: AnalystDatabase;
  /** What the terminal says about the data. */
  readonly note: string;
  /** Removes what was built for this run. */
  close(): void;
};

/** Builds a database from the user's CSV file, or from the built-in orders. */
function openCsv(csv: string | undefined): OpenData {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-demo-"));
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", close);
  try {
    const file = join(folder, "data.sqlite");
    const synthetic = csv === undefined;
    const path = csv ?? join(folder, "orders.csv");
    if (synthetic) writeFileSync(path, makeOrders());
    const { table, rowCount } = buildDatabase(path, file);
    const about = synthetic ? " (synthetic, made by a seeded script)" : "";
    return {
      database: { path: file, name: basename(path), synthetic },
      note: `${basename(path)}, built into a SQLite database: table ${table}, ${rowCount} rows${about}`,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** The database to ask about: the user's own, one built from the user's CSV, or one built from the built-in orders.
 *  Throws InputError if it cannot be read. */
export async function openData({
  db,
  csv,
}: {
  readonly db?: string;
  readonly csv?: string;
}): Promise<OpenData> {
  if (db === undefined) return openCsv(csv);
  await checkDatabase(db);
  return {
    database: { path: db, name: basename(db), synthetic: false },
    note: `${db}, opened read-only`,
    close: () => {},
  };
}
