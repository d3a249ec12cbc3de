import { closeSync, openSync, readSync, statSync } from "node:fs";
import { InputError } from "../demo/input-error.ts";
import { describeSchema, quickCheck } from "../sql/ask-child.ts";

const MAGIC = "SQLite format 3\0";

function readStart(path: string): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(MAGIC.length);
    return bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}

function startOf(path: string): string {
  try {
    if (statSync(path).isDirectory())
      throw new InputError(`${path} is a folder. Name a SQLite file after --db.`);
    return readStart(path);
  } catch (error) {
    if (error instanceof InputError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new InputError(`No such file: ${path}. Check the path after --db.`);
    throw new InputError(`Cannot read ${path}: ${code ?? String(error)}.`);
  }
}

/** Throws InputError unless the file is a SQLite database that can be read and has a table. A database too large to be
 *  checked within `timeoutMs` is taken as it is. */
export async function checkDatabase(path: string, timeoutMs = 5_000): Promise<void> {
  const start = startOf(path);
  if (start === "") throw new InputError(`${path} is empty: it has no tables.`);
  if (start !== MAGIC) {
    throw new InputError(`${path} is not a SQLite database (or it is encrypted). For a CSV file use --csv.`);
  }
  const problem = await quickCheck(path, { timeoutMs }).catch((error: Error) => error.message);
  if (problem !== "ok" && !problem.includes("was stopped after")) {
    throw new InputError(
      `${path} is damaged: ${problem.split("\n")[0]}. Restore it from a backup, or try "sqlite3 ${path} .recover".`,
    );
  }
  const { tables, moreTables } = await describeSchema(path, { timeoutMs: timeoutMs * 4 });
  if (tables.length + moreTables.length === 0)
    throw new InputError(`${path} has no tables that can be read.`);
}
