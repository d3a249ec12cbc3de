import { defineTool, type Tool } from "agentchart";
import { z } from "zod";
import { describeSchema, SQL_LIMITS } from "../sql/ask-child.ts";
import type { AnalystDatabase } from "./analyst-tools.ts";

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
      const { tables, unreadable, moreTables } = await describeSchema(database.path, {
        timeoutMs: TIMEOUT_MS,
        signal,
      });
      return {
        database: database.name,
        dialect: "SQLite",
        tables: tables.map((table) => ({ ...table })),
        ...(unreadable.length > 0 && { unreadable }),
        ...(moreTables.length > 0 && { moreTables }),
      };
    },
  });
}
