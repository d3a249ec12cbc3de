import type { DatabaseSync } from "node:sqlite";
import { toCell, type Cell } from "./cell.ts";

/** What the values of a column are, judged by the values and not by the declared type. A `date` is ISO text. */
export type ColumnKind = "integer" | "real" | "date" | "text" | "mixed" | "blob" | "empty";

export type ColumnInfo = {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly distinct: number;
  readonly nulls: number;
  readonly min: Cell;
  readonly max: Cell;
  readonly samples: readonly Cell[];
};

export type TableInfo = {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly ColumnInfo[];
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly {
    readonly column: string;
    readonly table: string;
    readonly references: string;
  }[];
};

/** The first fifty tables; `moreTables` names the others. */
export type Schema = { readonly tables: readonly TableInfo[]; readonly moreTables: readonly string[] };

const MOST_TABLES = 50;
const SAMPLES = 12;
const LONGEST_SAMPLE = 60;
const ISO_DATE = "[0-9][0-9][0-9][0-9]-[01][0-9]*";

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

type Row = Readonly<Record<string, unknown>>;

function rowsOf(database: DatabaseSync, sql: string): Row[] {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement.all();
}

function kindOf(types: readonly string[], allDates: boolean): ColumnKind {
  const [type, ...others] = types.toSorted();
  if (type === undefined) return "empty";
  if (type === "integer" && others.length === 0) return "integer";
  if (types.every((each) => each === "integer" || each === "real")) return "real";
  if (others.length > 0) return "mixed";
  if (type === "blob") return "blob";
  return allDates ? "date" : "text";
}

function short(value: unknown): Cell {
  const cell = toCell(value);
  return typeof cell === "string" && cell.length > LONGEST_SAMPLE
    ? `${cell.slice(0, LONGEST_SAMPLE)}…`
    : cell;
}

function describeColumn(database: DatabaseSync, table: string, name: string): ColumnInfo {
  const from = `FROM (SELECT ${quoteName(name)} AS v FROM ${quoteName(table)})`;
  const [facts = {}] = rowsOf(
    database,
    `SELECT COUNT(*) AS n, COUNT(v) AS present, COUNT(DISTINCT v) AS seen, MIN(v) AS low, MAX(v) AS high,
      group_concat(DISTINCT typeof(v)) FILTER (WHERE v IS NOT NULL) AS types, TOTAL(v GLOB '${ISO_DATE}') AS dates ${from}`,
  );
  const types = typeof facts["types"] === "string" ? facts["types"].split(",") : [];
  const kind = kindOf(types, Number(facts["dates"]) === Number(facts["present"]));
  const isOrdered = kind !== "mixed" && kind !== "blob";
  return {
    name,
    kind,
    distinct: Number(facts["seen"]),
    nulls: Number(facts["n"]) - Number(facts["present"]),
    min: isOrdered ? short(facts["low"]) : null,
    max: isOrdered ? short(facts["high"]) : null,
    samples: rowsOf(
      database,
      `SELECT DISTINCT v ${from} WHERE v IS NOT NULL AND length(v) <= ${LONGEST_SAMPLE} LIMIT ${SAMPLES}`,
    ).map(({ v }) => toCell(v)),
  };
}

function describeTable(database: DatabaseSync, name: string): TableInfo {
  const pragma = (of: string, table = name): Row[] => rowsOf(database, `PRAGMA ${of}(${quoteName(table)})`);
  const columns = pragma("table_xinfo").filter(({ hidden }) => Number(hidden) !== 1);
  const rowCount = Number(rowsOf(database, `SELECT COUNT(*) AS n FROM ${quoteName(name)}`)[0]?.["n"]);
  const keys = columns
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((a, b) => Number(a["pk"]) - Number(b["pk"]));
  const primaryOf = (table: string): string =>
    String(pragma("table_info", table).find(({ pk }) => Number(pk) === 1)?.["name"] ?? "rowid");
  return {
    name,
    rowCount,
    columns: columns.map((column) => describeColumn(database, name, String(column["name"]))),
    primaryKey: keys.map((column) => String(column["name"])),
    foreignKeys: pragma("foreign_key_list")
      .filter((key, _, all) => all.filter(({ id }) => id === key["id"]).length === 1)
      .map((key) => ({
        column: String(key["from"]),
        table: String(key["table"]),
        references: String(key["to"] ?? primaryOf(String(key["table"]))),
      })),
  };
}

/** Reads the tables and views of a database, without SQLite's own. */
export function readSchema(database: DatabaseSync): Schema {
  const names = rowsOf(
    database,
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name",
  ).map(({ name }) => String(name));
  return {
    tables: names.slice(0, MOST_TABLES).map((name) => describeTable(database, name)),
    moreTables: names.slice(MOST_TABLES),
  };
}
