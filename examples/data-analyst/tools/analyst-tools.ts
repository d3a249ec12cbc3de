import type { Tool } from "agentchart";
import { SQL_LIMITS, type SqlLimits } from "../sql/ask-child.ts";
import { createReport } from "./create-report.ts";
import { generateChart } from "./generate-chart.ts";
import { describeDatabase, queryDatabase } from "./query-database.ts";
import { Workbench } from "./workbench.ts";

export type AnalystDatabase = {
  /** Path of the SQLite file. */
  readonly path: string;
  /** What a report says the data are. */
  readonly name: string;
  /** True for the built-in orders: the report's footer says so. */
  readonly synthetic: boolean;
};

/** The tools of one analyst on one database. They hand results to each other by id (`resultId`, `chartId`), so that a
 *  model never has to copy a table, and SQL runs in a process of its own that can only read. */
export function analystTools({
  database,
  outDir,
  limits = SQL_LIMITS,
}: {
  readonly database: AnalystDatabase;
  readonly outDir: string;
  readonly limits?: SqlLimits;
}): Tool[] {
  const bench = new Workbench();
  return [
    describeDatabase(database),
    queryDatabase(database, bench, limits),
    generateChart(bench),
    createReport(database, outDir, bench),
  ];
}
