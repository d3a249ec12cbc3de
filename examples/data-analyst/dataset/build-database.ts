import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { InputError } from "../demo/input-error.ts";
import { quoteName } from "../sql/read-schema.ts";
import { decodeText } from "./decode-text.ts";
import { inferColumn } from "./infer-column.ts";
import { readCsv } from "./read-csv.ts";

export type BuiltTable = {
  readonly table: string;
  readonly rowCount: number;
  readonly encoding: string;
  /** What was decided while reading and a person may want to know. */
  readonly notes: readonly string[];
};

/** A table name made of a file name: letters, digits and `_`. */
export function tableNameOf(path: string): string {
  const name = basename(path, extname(path))
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "");
  if (name === "") return "table_1";
  return /^\d/.test(name) || /^sqlite_/i.test(name) ? `t_${name}` : name;
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new InputError(`No such file: ${path}. Check the path after --csv.`);
    if (code === "EISDIR") throw new InputError(`${path} is a folder. Name a CSV file after --csv.`);
    throw new InputError(`Cannot read ${path}: ${code ?? String(error)}.`);
  }
}

/** Builds a SQLite file of one table from a CSV file. Types are inferred from the values, dates become ISO text.
 *  Throws InputError if the file cannot be read as it is; then nothing is left behind that counts. */
export function buildDatabase(csvPath: string, databasePath: string, encoding?: string): BuiltTable {
  const name = basename(csvPath);
  const decoded = decodeText(readBytes(csvPath), name, encoding);
  const { header, rows, delimiter } = readCsv(decoded.text.replace(/^\uFEFF/, ""), name);
  const columns = header.map((column, index) => ({
    column,
    ...inferColumn(
      rows.map((row) => row[index] ?? ""),
      delimiter,
    ),
  }));
  if (columns.length > 2000)
    throw new InputError(`${name} has ${columns.length} columns; at most 2000 can be read.`);
  const table = tableNameOf(csvPath);
  const database = new DatabaseSync(databasePath);
  try {
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;
      CREATE TABLE ${quoteName(table)} (${columns.map(({ column, type }) => `${quoteName(column)} ${type}`).join(", ")})`);
    const insert = database.prepare(
      `INSERT INTO ${quoteName(table)} VALUES (${columns.map(() => "?").join(", ")})`,
    );
    for (const row of rows) insert.run(...columns.map(({ read }, index) => read(row[index] ?? "")));
    database.exec("COMMIT");
  } finally {
    database.close();
  }
  const commas = columns.filter(({ decimalComma }) => decimalComma).map(({ column }) => column);
  return {
    table,
    rowCount: rows.length,
    encoding: decoded.encoding,
    notes: [
      ...(decoded.encoding === "utf-8" ? [] : [`read as ${decoded.encoding}`]),
      ...(commas.length === 0 ? [] : [`decimal commas in ${commas.join(", ")}`]),
    ],
  };
}
