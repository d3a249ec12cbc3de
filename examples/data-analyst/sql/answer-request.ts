import type { DatabaseSync } from "node:sqlite";
import { toCell, type Cell } from "./cell.ts";
import type { ChildLine, ChildRequest, QueryRequest } from "./child-protocol.ts";
import { allowOnlyReads, openReadOnly } from "./open-read-only.ts";
import { readSchema } from "./read-schema.ts";

const BATCH_ROWS = 200;

type Send = (line: ChildLine) => void;

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

function runQuery(database: DatabaseSync, { sql, maxRows, maxBytes }: QueryRequest, send: Send): void {
  allowOnlyReads(database);
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  send({ columns: distinctNames(statement.columns().map(({ name }) => name)) });
  let batch: Cell[][] = [];
  let count = 0;
  let bytes = 0;
  for (const values of statement.iterate() as Iterable<unknown>) {
    if (++count > maxRows) {
      throw new Error(
        `The result has more than ${maxRows} rows. Aggregate with GROUP BY, or narrow it with WHERE or LIMIT.`,
      );
    }
    const row = (values as unknown[]).map(toCell);
    bytes += row.reduce<number>((sum, cell) => sum + (typeof cell === "string" ? cell.length + 2 : 8), 0);
    if (bytes > maxBytes) {
      throw new Error(`The result is larger than ${maxBytes} bytes. Select fewer columns or rows.`);
    }
    batch.push(row);
    if (batch.length === BATCH_ROWS) {
      send({ rows: batch });
      batch = [];
    }
  }
  send({ rows: batch });
  send({ end: true });
}

/** Answers a request with `{ columns }`, then `{ rows }` in batches, then `{ end: true }`; or with `{ schema }`; or at any
 *  point with `{ error }`. */
export function answerRequest(request: ChildRequest, send: Send): void {
  try {
    const database = openReadOnly(request.database);
    if (request.kind === "query") runQuery(database, request, send);
    else if (request.kind === "schema") send({ schema: readSchema(database, request.maxTables) });
    else
      send({ problem: (database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"] as string) ?? "ok" });
    database.close();
  } catch (error) {
    send({ error: error instanceof Error ? error.message : String(error) });
  }
}
