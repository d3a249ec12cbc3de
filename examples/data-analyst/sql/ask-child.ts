import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Cell } from "./cell.ts";
import { checkStatement } from "./check-statement.ts";
import type { ChildLine, ChildRequest } from "./child-protocol.ts";
import type { readSchema } from "./read-schema.ts";

/** Bounds of one statement. */
export type SqlLimits = { readonly timeoutMs: number; readonly maxRows: number; readonly maxBytes: number };
export const SQL_LIMITS: SqlLimits = { timeoutMs: 5_000, maxRows: 50_000, maxBytes: 32 * 1024 * 1024 };

export type QueryResult = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
};

type Asking = { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined };

const CHILD = fileURLToPath(new URL("query-child.ts", import.meta.url));

/** Undefined for half a line: the last words of a process that died. */
function parseLine(line: string): ChildLine | undefined {
  try {
    return JSON.parse(line) as ChildLine;
  } catch {
    return undefined;
  }
}

/** Yields the child's lines. Kills the child on time-out, on abort and when the reader leaves; throws in the first two
 *  cases and when the child dies. */
async function* askChild(request: ChildRequest, { timeoutMs, signal }: Asking): AsyncGenerator<ChildLine> {
  signal?.throwIfAborted();
  const { SystemRoot } = process.env;
  // No environment: what runs SQL of a model needs none of the keys in it.
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", CHILD], {
    env: SystemRoot === undefined ? {} : { SystemRoot },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stopped: Error | undefined;
  const stop = (reason: Error): void => {
    stopped ??= reason;
    child.kill("SIGKILL");
  };
  const seconds = timeoutMs / 1000;
  const timer = setTimeout(
    () => stop(new Error(`The query was stopped after ${seconds} s. Make it cheaper.`)),
    timeoutMs,
  );
  const onAbort = (): void => stop(new Error("The query was interrupted."));
  signal?.addEventListener("abort", onAbort);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-500)));
  const closed = new Promise<void>((resolve) => child.on("error", stop).on("close", () => resolve()));
  child.stdin.on("error", () => {}).end(JSON.stringify(request));
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (stopped) break;
      const parsed = parseLine(line);
      if (!parsed) break;
      if (parsed.error !== undefined) throw new Error(parsed.error);
      yield parsed;
    }
    await closed;
    if (stopped) throw stopped;
    if (child.exitCode !== 0)
      throw new Error(`The process that runs SQL ended with code ${child.exitCode}. ${stderr}`.trim());
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    child.kill("SIGKILL");
  }
}

/** Runs one reading statement in a process of its own and gives the whole result. Throws an Error whose message says
 *  what to do: bad SQL, too many rows, too long, interrupted. */
export async function runQuery(
  database: string,
  sql: string,
  {
    limits = SQL_LIMITS,
    signal,
  }: { readonly limits?: SqlLimits; readonly signal?: AbortSignal | undefined } = {},
): Promise<QueryResult> {
  const problem = checkStatement(sql);
  if (problem !== null) throw new Error(problem);
  const { timeoutMs, maxRows, maxBytes } = limits;
  let columns: readonly string[] = [];
  const rows: (readonly Cell[])[] = [];
  let ended = false;
  for await (const line of askChild(
    { kind: "query", database, sql, maxRows, maxBytes },
    { timeoutMs, signal },
  )) {
    columns = line.columns ?? columns;
    for (const row of line.rows ?? []) rows.push(row);
    ended ||= line.end === true;
  }
  if (!ended) throw new Error("The process that runs SQL ended without a result.");
  return { columns, rows };
}

/** Tables and columns of the database. Throws as {@link runQuery}. */
export async function describeSchema(
  database: string,
  options: Asking,
): Promise<ReturnType<typeof readSchema>> {
  for await (const { schema } of askChild({ kind: "schema", database, maxTables: 50 }, options)) {
    if (schema) return schema;
  }
  throw new Error("The process that runs SQL ended without a result.");
}

/** `ok`, or what SQLite finds wrong with the file. Throws as {@link runQuery}. */
export async function quickCheck(database: string, options: Asking): Promise<string> {
  for await (const { problem } of askChild({ kind: "check", database }, options)) {
    if (problem !== undefined) return problem;
  }
  return "The process that runs SQL ended without a result.";
}
