import { openSync, closeSync, readSync } from "node:fs";
import { InputError } from "../demo/errors.ts";
import { describeSchema } from "../sql/ask-child.ts";

const TIMEOUT_MS = 20_000;
const MAGIC = "SQLite format 3\0";

function startOf(path: string): string {
  try {
    const file = openSync(path, "r");
    const bytes = Buffer.alloc(MAGIC.length);
    try {
      return bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new InputError(`No such file: ${path}. Check the path after --db.`);
    if (code === "EISDIR") throw new InputError(`${path} is a folder. Name a SQLite file after --db.`);
    throw new InputError(`Cannot read ${path}: ${code ?? String(error)}.`);
  }
}

/** Throws InputError unless the file is a SQLite database that can be read and has a table. */
export async function checkDatabase(path: string): Promise<void> {
  if (startOf(path) !== MAGIC)
    throw new InputError(`${path} is not a SQLite database (or it is encrypted). For a CSV file use --csv.`);
  const { tables, moreTables } = await describeSchema(path, { timeoutMs: TIMEOUT_MS });
  if (tables.length + moreTables.length === 0)
    throw new InputError(`${path} has no tables that can be read.`);
}
