import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Cell } from "./cell.ts";
import type { Schema } from "./read-schema.ts";

/** Bounds of one statement. */
export type SqlLimits = { readonly timeoutMs: number; readonly maxRows: number; readonly maxBytes: number };
export const SQL_LIMITS: SqlLimits = { timeoutMs: 5_000, maxRows: 50_000, maxBytes: 32 * 1024 * 1024 };

export type QueryResult = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
};

/** What the child is asked: run a statement, or describe the tables. */
export type Request = { readonly database: string } & (
  | { readonly kind: "query"; readonly sql: string; readonly maxRows: number; readonly maxBytes: number }
  | { readonly kind: "schema" }
);

/** What the child answers. */
export type Answer = {
  readonly result?: QueryResult;
  readonly schema?: Schema;
  readonly error?: string;
};

type Asking = { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined };

const CHILD = fileURLToPath(new URL("child.ts", import.meta.url));
const LARGEST_ANSWER_BYTES = 256 * 1024 * 1024;

/** Asks a process of its own, which is killed on abort, and when the statement has run for too long. Throws an Error whose message says what to do. */
async function ask(request: Request, { timeoutMs, signal }: Asking): Promise<Answer> {
  signal?.throwIfAborted();
  const { SystemRoot } = process.env;
  const asked = promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", CHILD],
    // No environment: what runs SQL of a model needs none of the keys in it.
    {
      env: SystemRoot === undefined ? {} : { SystemRoot },
      killSignal: "SIGKILL",
      maxBuffer: LARGEST_ANSWER_BYTES,
      ...(signal && { signal }),
    },
  );
  const { child } = asked;
  child.stdin?.on("error", () => {}).end(JSON.stringify(request));
  child.stdout?.once("data", () => void setTimeout(() => child.kill("SIGKILL"), timeoutMs).unref()); // it begins
  const { stdout } = await asked.catch((error: Error & { readonly killed?: boolean }) => {
    if (signal?.aborted) throw new Error("The query was interrupted.");
    if (error.killed) throw new Error(`The query was stopped after ${timeoutMs / 1000} s. Make it cheaper.`);
    throw new Error(`The process that runs SQL ended without a result: ${error.message.slice(-500)}`);
  });
  const answer = JSON.parse(stdout) as Answer;
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}

/** Runs one reading statement and gives the whole result. Throws an Error: bad SQL, too many rows, too long. */
export async function runQuery(
  database: string,
  sql: string,
  {
    limits: { timeoutMs, maxRows, maxBytes } = SQL_LIMITS,
    signal,
  }: { readonly limits?: SqlLimits; readonly signal?: AbortSignal | undefined } = {},
): Promise<QueryResult> {
  const { result } = await ask({ kind: "query", database, sql, maxRows, maxBytes }, { timeoutMs, signal });
  return result!;
}

/** Tables and columns of the database. Throws as {@link runQuery}. */
export async function describeSchema(database: string, options: Asking): Promise<Schema> {
  return (await ask({ kind: "schema", database }, options)).schema!;
}
