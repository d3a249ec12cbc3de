import { quoteName, type ColumnInfo, type TableInfo } from "../sql/read-schema.ts";

/** A figure that SQL gives: what it is, the query, and how its rows are drawn if they are. */
export type Figure = {
  readonly title: string;
  readonly sql: string;
  readonly chart?: "bar" | "line";
};

/** What is asked: figures, and whether the profile of the tables is a part of the report. */
export type Task = {
  readonly title: string;
  readonly figures: readonly Figure[];
  readonly profiled: readonly string[];
};

/** Thrown for a question that is not on the list, or that names no single table or column. */
export class Refusal extends Error {}

type Found = { readonly table: TableInfo; readonly column: ColumnInfo };
type Schema = readonly TableInfo[];

const MOST_BARS = 12;
const SQL_NAMES = { min: "MIN", max: "MAX", sum: "SUM", avg: "AVG" } as const;

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const unquoted = (name: string): string => name.trim().replace(/^"(.*)"$/, "$1");
const listed = (names: readonly string[]): string => names.join(", ");

function tableNamed(schema: Schema, name: string | undefined): TableInfo {
  const [only, ...others] = schema;
  if (name === undefined) {
    if (only && others.length === 0) return only;
    throw new Refusal(`There are ${schema.length} tables; name one: ${listed(schema.map((t) => t.name))}.`);
  }
  const table = schema.find((each) => same(each.name, unquoted(name)));
  if (table) return table;
  throw new Refusal(`There is no table ${unquoted(name)}. Tables: ${listed(schema.map((t) => t.name))}.`);
}

/** The only column of that name, `TABLE.COLUMN` among several. */
function columnNamed(schema: Schema, name: string): Found {
  const all = schema.flatMap((table) => table.columns.map((column) => ({ table, column })));
  const wanted = unquoted(name);
  const found = all.filter(
    ({ table, column }) => same(column.name, wanted) || same(`${table.name}.${column.name}`, wanted),
  );
  const [only, ...others] = found;
  const full = (each: readonly Found[]): string =>
    listed(each.map(({ table, column }) => `${table.name}.${column.name}`));
  if (!only) throw new Refusal(`There is no column ${wanted}. Columns: ${full(all)}.`);
  if (others.length > 0)
    throw new Refusal(`More than one column has the name ${wanted}: ${full(found)}. Name one of these.`);
  return only;
}

type Group = { readonly sql: string; readonly title: string; readonly isTime: boolean };

function groupNamed(table: TableInfo, text: string): Group {
  const month = /^month of (.+)$/is.exec(text)?.[1];
  const found = columnNamed([table], month ?? text);
  if (month === undefined)
    return { sql: quoteName(found.column.name), title: found.column.name, isTime: false };
  if (found.column.kind !== "date")
    throw new Refusal(`${found.column.name} is a column of kind ${found.column.kind}, not date.`);
  return {
    sql: `substr(${quoteName(found.column.name)}, 1, 7)`,
    title: `month of ${found.column.name}`,
    isTime: true,
  };
}

function grouped(table: TableInfo, value: { sql: string; title: string }, group: Group): Figure {
  const order = group.isTime ? "1" : "2 DESC, 1";
  return {
    title: `${value.title} by ${group.title}`,
    sql: `SELECT ${group.sql} AS ${quoteName(group.title)}, ${value.sql} AS ${quoteName(value.title)} FROM ${quoteName(table.name)} GROUP BY 1 ORDER BY ${order} LIMIT 60`,
    chart: "bar",
  };
}

const taskOf = (figure: Figure): Task => ({ title: figure.title, figures: [figure], profiled: [] });

function countRows(schema: Schema, [tableName, by]: readonly (string | undefined)[]): Task {
  const table = tableNamed(schema, tableName);
  const value = { sql: "COUNT(*)", title: `rows of ${table.name}` };
  if (by !== undefined) return taskOf(grouped(table, value, groupNamed(table, by)));
  return taskOf({
    title: value.title,
    sql: `SELECT COUNT(*) AS ${quoteName(value.title)} FROM ${quoteName(table.name)}`,
  });
}

function aggregate(schema: Schema, [name = "", column = "", by]: readonly (string | undefined)[]): Task {
  const metric = name.toLowerCase() as keyof typeof SQL_NAMES;
  const found = columnNamed(schema, column);
  const { kind } = found.column;
  const isNumber = kind === "integer" || kind === "real";
  if (!isNumber && (metric === "sum" || metric === "avg" || kind === "mixed" || kind === "blob"))
    throw new Refusal(`${metric} needs numbers; ${found.column.name} is a column of kind ${kind}.`);
  const raw = `${SQL_NAMES[metric]}(${quoteName(found.column.name)})`;
  const value = {
    sql: isNumber ? `ROUND(${raw}, 6)` : raw,
    title: `${metric} of ${found.column.name}`,
  };
  if (by !== undefined) {
    const figure = grouped(found.table, value, groupNamed(found.table, by));
    const { chart: _, ...undrawn } = figure;
    return taskOf(isNumber ? figure : undrawn);
  }
  return taskOf({
    title: value.title,
    sql: `SELECT ${value.sql} AS ${quoteName(value.title)} FROM ${quoteName(found.table.name)}`,
  });
}

function countDistinct(schema: Schema, [name = ""]: readonly (string | undefined)[]): Task {
  const { table, column } = columnNamed(schema, name);
  const title = `distinct values of ${column.name}`;
  return taskOf({
    title,
    sql: `SELECT COUNT(DISTINCT ${quoteName(column.name)}) AS ${quoteName(title)} FROM ${quoteName(table.name)}`,
  });
}

/** Rows per month of the first date, and per value of columns with few values; nothing here guesses at a meaning. */
function profileFigures(schema: Schema, table: TableInfo): Figure[] {
  const rows = { sql: "COUNT(*)", title: `rows of ${table.name}` };
  const date = table.columns.find(({ kind, distinct }) => kind === "date" && distinct > 1);
  const categories = table.columns.filter(
    ({ kind, distinct }) => kind === "text" && distinct > 1 && distinct <= MOST_BARS,
  );
  return [
    ...(date ? [grouped(table, rows, groupNamed(table, `month of "${date.name}"`))] : []),
    ...categories.slice(0, 3).map(({ name }) => grouped(table, rows, groupNamed(table, `"${name}"`))),
    ...table.foreignKeys.map(({ column, table: other, references }): Figure => ({
      title: `joins of ${table.name}.${column} with ${other}.${references}`,
      sql: `SELECT COUNT(*) AS rows, COUNT(${quoteName(column)}) AS "with a key", COALESCE(SUM(${quoteName(column)} IN (SELECT ${quoteName(references)} FROM ${quoteName(other)})), 0) AS "found in ${other.replaceAll('"', '""')}" FROM ${quoteName(table.name)}`,
    })),
  ];
}

function profile(schema: Schema, [name]: readonly (string | undefined)[]): Task {
  const tables = name === undefined ? schema : [tableNamed(schema, name)];
  return {
    title: `Profile of ${listed(tables.map((table) => table.name))}`,
    figures: tables.flatMap((table) => profileFigures(schema, table)).slice(0, 12),
    profiled: tables.map((table) => table.name),
  };
}

type Form = {
  readonly form: string;
  readonly does: string;
  readonly pattern: RegExp;
  readonly read: (schema: Schema, parts: readonly (string | undefined)[]) => Task;
};

/** The closed list of what is answered without a model. Names are those of the schema, as they are written there. */
export const FORMS: readonly Form[] = [
  {
    form: "profile [TABLE]",
    does: "columns, kinds, missing values, ranges, samples, rows by month and value, joins by keys; with a report",
    pattern: /^profile(?: (.+))?$/i,
    read: profile,
  },
  {
    form: "list columns [of TABLE]",
    does: "the columns of a table with their kinds",
    pattern: /^list columns(?: of (.+))?$/i,
    read: (schema, [name]) => {
      const table = tableNamed(schema, name);
      return { title: `Columns of ${table.name}`, figures: [], profiled: [table.name] };
    },
  },
  {
    form: "count rows [of TABLE] [by COLUMN]",
    does: "the number of rows, by value if a column is named",
    pattern: /^count rows(?: of (.+?))?(?: by (.+))?$/i,
    read: countRows,
  },
  {
    form: "count distinct COLUMN",
    does: "the number of different values",
    pattern: /^count distinct (.+)$/i,
    read: countDistinct,
  },
  {
    form: "min|max|sum|avg of COLUMN [by COLUMN]",
    does: "a figure of a named column; by month of COLUMN, if that one has dates",
    pattern: /^(min|max|sum|avg) of (.+?)(?: by (.+))?$/i,
    read: aggregate,
  },
];

/** Reads a question of the closed list; undefined if it is not on the list. Throws {@link Refusal} if it names nothing. */
export function readRequest(question: string, schema: Schema): Task | undefined {
  const text = question.trim().replaceAll(/\s+/g, " ");
  for (const { pattern, read } of FORMS) {
    const match = pattern.exec(text);
    if (match) return read(schema, match.slice(1));
  }
  return undefined;
}
