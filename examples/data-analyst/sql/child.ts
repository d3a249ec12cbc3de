/**
 * The process that runs SQL, so that the asking process can kill a statement that does not end. Reads one request as
 * JSON from stdin and writes one answer as JSON.
 */
import { readFileSync, writeSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Answer, QueryResult, Request } from "./ask-child.ts";
import { toCell, type Cell } from "./cell.ts";
import { allowOnlyReads, openReadOnly } from "./open-read-only.ts";
import { readSchema } from "./read-schema.ts";

const COMMENT = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const READS_ONLY = "Only SELECT and WITH … SELECT are allowed: this database is read-only";

/** Names as a result may use them as keys: none empty, none twice. */
function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let n = 2; taken.has(unique); n++) unique = `${name}_${n}`;
    taken.add(unique);
    return unique;
  });
}

function runQuery(
  database: DatabaseSync,
  { sql, maxRows, maxBytes }: Extract<Request, { kind: "query" }>,
): QueryResult {
  if (sql.includes("\0")) throw new Error("The SQL contains a NUL character; remove it.");
  if (sql.replaceAll(COMMENT, "").trim() === "") throw new Error("The SQL is empty.");
  allowOnlyReads(database);
  const statement = database.prepare(sql);
  // `prepare` ignores what stands behind the first statement.
  const rest = sql.slice(sql.indexOf(statement.sourceSQL) + statement.sourceSQL.length);
  if (/[^\s;]/.test(rest.replaceAll(COMMENT, "")))
    throw new Error("Only one statement may be run at a time; send the second one as its own call.");
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const rows: Cell[][] = [];
  let bytes = 0;
  for (const values of statement.iterate() as Iterable<unknown>) {
    const row = (values as unknown[]).map(toCell);
    bytes += row.reduce<number>((sum, cell) => sum + (typeof cell === "string" ? cell.length + 2 : 8), 0);
    if (rows.push(row) > maxRows)
      throw new Error(
        `The result has more than ${maxRows} rows. Aggregate with GROUP BY, or narrow it with WHERE or LIMIT.`,
      );
    if (bytes > maxBytes)
      throw new Error(`The result is larger than ${maxBytes} bytes. Select fewer columns or rows.`);
  }
  return { columns: distinctNames(statement.columns().map(({ name }) => name)), rows };
}

function answer(request: Request): Answer {
  try {
    const database = openReadOnly(request.database);
    if (request.kind === "query") return { result: runQuery(database, request) };
    return { schema: readSchema(database) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: /authoriz/.test(message) ? `${READS_ONLY} (${message}).` : message };
  }
}

const request = JSON.parse(readFileSync(0, "utf8")) as Request;
writeSync(1, "\n"); // from now on its time counts
process.stdout.write(JSON.stringify(answer(request)));
