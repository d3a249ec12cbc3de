import type { DatabaseSync } from "node:sqlite";
import { toCell, type Cell } from "./cell.ts";

/** What the values of a column are, judged by the values and not by the declared type. */
export type ColumnKind = "integer" | "real" | "date" | "text" | "mixed" | "blob" | "empty";

export type ColumnInfo = {
  readonly name: string;
  /** As declared; SQLite allows anything, also nothing. */
  readonly type: string;
  readonly kind: ColumnKind;
  /** How a `date` is written: `iso` is 2024-03-05 or 2024-03 with or without a time, `slash` is
   *  2024/03/05, `dotted` is 05.03.2024. */
  readonly dateFormat?: "iso" | "slash" | "dotted" | "unix" | "unixMs";
  /** Digits behind the point, for `real`. */
  readonly decimals?: number;
  readonly distinct: number;
  readonly nulls: number;
  readonly min: Cell;
  readonly max: Cell;
  /** Every distinct value of a text column with few of them, else the first ones. */
  readonly samples: readonly Cell[];
};

export type TableInfo = {
  readonly name: string;
  readonly rowCount: number;
  /** Set if `distinct`, `min` … were read from the first rows only. */
  readonly sampledRows?: number;
  readonly columns: readonly ColumnInfo[];
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly {
    readonly column: string;
    readonly table: string;
    readonly references: string;
  }[];
};

const SAMPLED_ROWS = 10_000;
const LISTED_VALUES = 30;
const LONGEST_SAMPLE = 60;
const MOST_DECIMALS = 6;
const ISO_DATE = /^\d{4}-(0[1-9]|1[0-2])(-([0-2]\d|3[01])([T ].*)?)?$/;
const SLASH_DATE = /^\d{4}\/(0[1-9]|1[0-2])(\/([0-2]\d|3[01])( .*)?)?$/;
const DOTTED_DATE = /^([0-2]\d|3[01])\.(0[1-9]|1[0-2])\.\d{4}( .*)?$/;
const TIME_NAME = /(^|_)(at|on|date|time|timestamp|created|updated)$|date|time|日期|时间/i;

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function decimalsOf(value: unknown): number {
  const [, fraction = "", exponent] = /^-?\d+(?:\.(\d+))?(e-\d+)?$/.exec(String(value)) ?? [];
  return exponent === undefined ? fraction.length : MOST_DECIMALS;
}

function kindOf(
  name: string,
  values: readonly unknown[],
): Pick<ColumnInfo, "kind" | "dateFormat" | "decimals"> {
  if (values.length === 0) return { kind: "empty" };
  const are = (test: (value: unknown) => boolean): boolean => values.every(test);
  if (are((value) => typeof value === "bigint")) {
    const within = (low: bigint, high: bigint) =>
      are((value) => (value as bigint) >= low && (value as bigint) < high);
    if (TIME_NAME.test(name) && within(300_000_000n, 5_000_000_000n))
      return { kind: "date", dateFormat: "unix" };
    if (TIME_NAME.test(name) && within(300_000_000_000n, 5_000_000_000_000n))
      return { kind: "date", dateFormat: "unixMs" };
    return { kind: "integer" };
  }
  if (are((value) => typeof value === "bigint" || typeof value === "number")) {
    return {
      kind: "real",
      decimals: Math.min(
        MOST_DECIMALS,
        values.reduce<number>((most, value) => Math.max(most, decimalsOf(value)), 0),
      ),
    };
  }
  if (are((value) => value instanceof Uint8Array)) return { kind: "blob" };
  if (!are((value) => typeof value === "string")) return { kind: "mixed" };
  if (are((value) => ISO_DATE.test(value as string))) return { kind: "date", dateFormat: "iso" };
  if (are((value) => SLASH_DATE.test(value as string))) return { kind: "date", dateFormat: "slash" };
  if (are((value) => DOTTED_DATE.test(value as string))) return { kind: "date", dateFormat: "dotted" };
  return { kind: "text" };
}

function lessThan(a: unknown, b: unknown): boolean {
  return (a as string) < (b as string);
}

function describeColumn(name: string, type: string, column: readonly unknown[]): ColumnInfo {
  const values = column.filter((value) => value !== null);
  const distinct = [...new Set(values)];
  const kind = kindOf(name, values);
  const ordered =
    kind.dateFormat !== "dotted" && kind.kind !== "mixed" && kind.kind !== "blob" && kind.kind !== "empty";
  const pick = (wins: (a: unknown, b: unknown) => boolean): Cell =>
    ordered ? toCell(values.reduce((best, value) => (wins(value, best) ? value : best))) : null;
  const short = distinct.filter((value) => typeof value !== "string" || value.length <= LONGEST_SAMPLE);
  const listAll = kind.kind === "text" && distinct.length <= LISTED_VALUES;
  return {
    name,
    type,
    ...kind,
    distinct: distinct.length,
    nulls: column.length - values.length,
    min: shorten(pick(lessThan)),
    max: shorten(pick((a, b) => lessThan(b, a))),
    samples: short.slice(0, listAll ? LISTED_VALUES : 5).map(toCell),
  };
}

function shorten(cell: Cell): Cell {
  return typeof cell === "string" && cell.length > LONGEST_SAMPLE
    ? `${cell.slice(0, LONGEST_SAMPLE)}…`
    : cell;
}

type PragmaRow = Readonly<Record<string, string | number | null>>;

function pragma(database: DatabaseSync, name: string, table: string): PragmaRow[] {
  return database.prepare(`PRAGMA ${name}(${quoteName(table)})`).all() as PragmaRow[];
}

function describeTable(database: DatabaseSync, name: string): TableInfo {
  const columns = pragma(database, "table_xinfo", name).filter(({ hidden }) => hidden !== 1);
  const count = database.prepare(`SELECT COUNT(*) AS n FROM ${quoteName(name)}`).get();
  const sample = database.prepare(
    `SELECT ${columns.map((column) => quoteName(String(column["name"]))).join(", ")} FROM ${quoteName(name)} LIMIT ${SAMPLED_ROWS}`,
  );
  sample.setReadBigInts(true);
  sample.setReturnArrays(true);
  const rows = sample.all() as unknown as unknown[][];
  const rowCount = Number(count?.["n"] ?? 0);
  const keys = columns
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((a, b) => Number(a["pk"]) - Number(b["pk"]));
  return {
    name,
    rowCount,
    ...(rowCount > rows.length && { sampledRows: rows.length }),
    columns: columns.map((column, index) =>
      describeColumn(
        String(column["name"]),
        String(column["type"]),
        rows.map((row) => row[index]),
      ),
    ),
    primaryKey: keys.map((column) => String(column["name"])),
    foreignKeys: pragma(database, "foreign_key_list", name)
      .filter((key, _, all) => all.filter(({ id }) => id === key["id"]).length === 1)
      .map((key) => ({
        column: String(key["from"]),
        table: String(key["table"]),
        references: String(
          key["to"] ??
            pragma(database, "table_info", String(key["table"])).find(({ pk }) => pk === 1)?.["name"] ??
            "rowid",
        ),
      })),
  };
}

/** The names of the tables and views of a database, without SQLite's own. */
function tableNames(database: DatabaseSync): string[] {
  return database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name",
    )
    .all()
    .map(({ name }) => String(name));
}

/** Tables, columns and what their values look like. A table that cannot be read is left out and named in `unreadable`. */
export function readSchema(
  database: DatabaseSync,
  maxTables: number,
): { readonly tables: TableInfo[]; readonly unreadable: string[]; readonly moreTables: string[] } {
  const names = tableNames(database);
  const tables: TableInfo[] = [];
  const unreadable: string[] = [];
  for (const name of names.slice(0, maxTables)) {
    try {
      tables.push(describeTable(database, name));
    } catch (error) {
      unreadable.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { tables, unreadable, moreTables: names.slice(maxTables) };
}
