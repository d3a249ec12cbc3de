import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Tool } from "agentchart";
import { onTestFinished } from "vitest";
import { buildDatabase } from "../dataset/build-database.ts";
import { SQL_LIMITS, type SqlLimits } from "../sql/ask-child.ts";
import { makeOrders } from "../make-orders.ts";
import { analystTools } from "../tools/analyst-tools.ts";

// Every query runs in a process of its own; on a busy machine that takes its time.
const PATIENT: SqlLimits = { ...SQL_LIMITS, timeoutMs: 60_000 };

/** A folder that goes when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type Fixture = {
  readonly path: string;
  readonly outDir: string;
  readonly tools: readonly Tool[];
  /** Asks the database directly, past all that is tested. */
  readonly all: (sql: string) => Record<string, unknown>[];
};

function fixtureOf(folder: string, path: string, synthetic: boolean, limits = PATIENT): Fixture {
  const outDir = join(folder, "out");
  const database = { path, name: "test data", synthetic };
  return {
    path,
    outDir,
    tools: analystTools({ database, outDir, limits }),
    all: (sql) => {
      const direct = new DatabaseSync(path, { readOnly: true });
      const rows = direct.prepare(sql).all();
      direct.close();
      return rows;
    },
  };
}

/** Tools on a database built from a CSV file; from the built-in orders unless a text is given. */
export function csvFixture(text?: string): Fixture {
  const folder = temporaryFolder();
  const csv = join(folder, text === undefined ? "orders.csv" : "data.csv");
  writeFileSync(csv, text ?? makeOrders());
  const path = join(folder, "data.sqlite");
  buildDatabase(csv, path);
  return fixtureOf(folder, path, text === undefined);
}

/** Tools on a database that `fill` makes. */
export function sqlFixture(fill: (database: DatabaseSync) => void, limits?: SqlLimits): Fixture {
  const folder = temporaryFolder();
  const path = join(folder, "data.sqlite");
  const database = new DatabaseSync(path);
  fill(database);
  database.close();
  return fixtureOf(folder, path, false, limits);
}
