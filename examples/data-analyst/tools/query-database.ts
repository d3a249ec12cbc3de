import { defineTool, type Tool } from "agentchart";
import { z } from "zod";
import { describeSchema, runQuery, SQL_LIMITS, type SqlLimits } from "../sql/ask-child.ts";
import type { Cell } from "../sql/cell.ts";
import type { AnalystDatabase } from "./analyst-tools.ts";
import type { Workbench } from "./workbench.ts";

/** A database with many rows takes longer to look through than a statement may run. */
const TIMEOUT_MS = SQL_LIMITS.timeoutMs * 4;

export function describeDatabase(database: AnalystDatabase): Tool {
  return defineTool({
    name: "describe_database",
    description:
      "Lists the tables of the SQLite database: row counts, columns with kind, number of distinct values, range and sample values, keys. Call it before writing SQL.",
    input: z.object({}),
    idempotent: true,
    async execute(_, { signal }) {
      const { tables, moreTables } = await describeSchema(database.path, {
        timeoutMs: TIMEOUT_MS,
        signal,
      });
      return {
        database: database.name,
        dialect: "SQLite",
        tables: tables.map((table) => ({ ...table })),
        ...(moreTables.length > 0 && { moreTables: [...moreTables] }),
      };
    },
  });
}

const LONGEST_SHOWN = 200;

/** A cell as the model sees it: long text is cut, the kept result is not. */
function shown(cell: Cell): Cell {
  return typeof cell === "string" && cell.length > LONGEST_SHOWN ? `${cell.slice(0, LONGEST_SHOWN)}…` : cell;
}

export function queryDatabase(database: AnalystDatabase, bench: Workbench, limits: SqlLimits): Tool {
  return defineTool({
    name: "query_database",
    description: `Runs one SELECT or WITH … SELECT (SQLite) and keeps the whole result (at most ${limits.maxRows} rows, ${limits.timeoutMs / 1000} s) under a resultId for the other tools. Shows the first rows only.`,
    input: z.object({
      sql: z.string().describe("One SELECT statement. Quote names with double quotes."),
      show: z.int().min(0).max(100).default(20).describe("How many rows to show"),
    }),
    idempotent: true,
    async execute({ sql, show }, { signal }) {
      const { columns, rows } = await runQuery(database.path, sql, { limits, signal });
      const { id } = bench.keepResult({ columns, rows, sql });
      return {
        resultId: id,
        columns,
        rowCount: rows.length,
        rows: rows.slice(0, show).map((row) => row.map(shown)),
      };
    },
  });
}
