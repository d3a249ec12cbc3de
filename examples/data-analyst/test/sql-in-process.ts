import { answerRequest } from "../sql/answer-request.ts";
import type { QueryResult, SqlLimits } from "../sql/ask-child.ts";
import type { Cell } from "../sql/cell.ts";
import { checkStatement } from "../sql/check-statement.ts";
import type { ChildLine, ChildRequest } from "../sql/child-protocol.ts";
import type { readSchema } from "../sql/read-schema.ts";

// What `sql/ask-child.ts` exports, without its processes: a planner asks many questions, and what a process adds is tested in
// `run-query.test.ts` and with the tools.

export const SQL_LIMITS: SqlLimits = { timeoutMs: 5_000, maxRows: 50_000, maxBytes: 32 * 1024 * 1024 };

function answers(request: ChildRequest): readonly ChildLine[] {
  const lines: ChildLine[] = [];
  answerRequest(request, (line) => lines.push(line));
  const error = lines.find((line) => line.error !== undefined)?.error;
  if (error !== undefined) throw new Error(error);
  return JSON.parse(JSON.stringify(lines)) as readonly ChildLine[];
}

export async function runQuery(
  database: string,
  sql: string,
  { limits = SQL_LIMITS }: { readonly limits?: SqlLimits } = {},
): Promise<QueryResult> {
  const problem = checkStatement(sql);
  if (problem !== null) throw new Error(problem);
  const lines = answers({ kind: "query", database, sql, ...limits });
  const columns = lines.flatMap((line) => line.columns ?? []);
  const rows: (readonly Cell[])[] = lines.flatMap((line) => line.rows ?? []);
  return { columns, rows };
}

export async function describeSchema(database: string): Promise<ReturnType<typeof readSchema>> {
  return answers({ kind: "schema", database, maxTables: 50 }).find(({ schema }) => schema)!.schema!;
}

export async function quickCheck(database: string): Promise<string> {
  return answers({ kind: "check", database }).find(({ problem }) => problem !== undefined)!.problem!;
}
