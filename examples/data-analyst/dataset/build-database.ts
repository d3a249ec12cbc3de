import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CsvError, parse } from "csv-parse/sync";
import { InputError } from "../demo/errors.ts";
import { quoteName } from "../sql/read-schema.ts";

export type BuiltTable = { readonly table: string; readonly rowCount: number };

type Read = (text: string) => string | number | null;

const DELIMITERS = [",", ";", "\t", "|"];
const INTEGER = /^[+-]?(0|[1-9]\d{0,14})$/;
const REAL = /^[+-]?(\d{1,15}(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?$/i;
/** A code such as 01234 is not a number. */
const LEADING_ZERO = /^[+-]?0\d+$/;

/** A table name made of a file name: letters, digits and `_`. */
export function tableNameOf(path: string): string {
  const name = basename(path, extname(path))
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "");
  if (name === "") return "table_1";
  return /^\d/.test(name) || /^sqlite_/i.test(name) ? `t_${name}` : name;
}

function readText(path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new InputError(`No such file: ${path}. Check the path after --csv.`);
    if (code === "EISDIR") throw new InputError(`${path} is a folder. Name a CSV file after --csv.`);
    throw new InputError(`${basename(path)} is not UTF-8 text. Save it as CSV in UTF-8.`);
  }
}

/** The rows of CSV text, the header first. Throws InputError if a row has another number of fields than the header. */
function readRows(text: string, name: string): string[][] {
  const header = text.split(/\r?\n/, 1)[0] ?? "";
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
  try {
    const rows: string[][] = parse(text, { delimiter, skip_empty_lines: true });
    if (rows.length < 2) throw new InputError(`${name} has no rows. It needs a header line and rows.`);
    return rows;
  } catch (error) {
    if (error instanceof CsvError) throw new InputError(`${name} is not valid CSV: ${error.message}.`);
    throw error;
  }
}

/** Column names that SQLite accepts: an empty one becomes `column_3`, a repeated one gets `_2`; case does not count. */
function columnNames(header: readonly string[]): string[] {
  const taken = new Set<string>();
  return header.map((cell, index) => {
    const name = cell.replaceAll(/[\0\s]+/g, " ").trim() || `column_${index + 1}`;
    let unique = name;
    for (let n = 2; taken.has(unique.toLowerCase()); n++) unique = `${name}_${n}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

/** The narrowest type that all values of a column have: what is written in any other way stays text. */
function columnType(values: readonly string[]): { readonly type: string; readonly read: Read } {
  const present = values.map((value) => value.trim()).filter((value) => value !== "");
  const are = (pattern: RegExp): boolean => present.every((value) => pattern.test(value));
  const isText = present.length === 0 || present.some((value) => LEADING_ZERO.test(value)) || !are(REAL);
  const type = isText ? "TEXT" : are(INTEGER) ? "INTEGER" : "REAL";
  return {
    type,
    read: (text) => (text.trim() === "" ? null : isText ? text : Number(text)),
  };
}

/** Builds a SQLite file of one table from a CSV file with a header. Throws InputError if the file cannot be read as it is. */
export function buildDatabase(csvPath: string, databasePath: string): BuiltTable {
  const [header = [], ...rows] = readRows(readText(csvPath), basename(csvPath));
  const types = header.map((_, index) => columnType(rows.map((row) => row[index] ?? "")));
  const columns = columnNames(header).map((name, index) => `${quoteName(name)} ${types[index]?.type}`);
  const table = tableNameOf(csvPath);
  const database = new DatabaseSync(databasePath);
  try {
    database.exec(`BEGIN; CREATE TABLE ${quoteName(table)} (${columns.join(", ")})`);
    const insert = database.prepare(
      `INSERT INTO ${quoteName(table)} VALUES (${columns.map(() => "?").join(", ")})`,
    );
    for (const row of rows) insert.run(...types.map(({ read }, index) => read(row[index] ?? "")));
    database.exec("COMMIT");
  } finally {
    database.close();
  }
  return { table, rowCount: rows.length };
}
