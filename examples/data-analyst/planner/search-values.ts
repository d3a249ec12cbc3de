import type { JsonFields } from "./conversation.ts";
import { quoteName, quoteText } from "./reach.ts";
import type { Reading } from "./reading.ts";
import type { Column, Schema } from "./schema.ts";
import { recordsOf, type WantedCall } from "./tool-runs.ts";

const MOST_COLUMNS = 60;

function searchSql(text: string, columns: readonly Column[]): string {
  const searches = columns.map(({ table, name }) => {
    const column = quoteName(name);
    const found = `SELECT ${column} AS found FROM ${quoteName(table)} WHERE ${column} = ${quoteText(text)} COLLATE NOCASE LIMIT 1`;
    return `SELECT ${quoteText(table)} AS table_name, ${quoteText(name)} AS column_name, found FROM (${found})`;
  });
  return searches.join(" UNION ALL ");
}

/** The queries that look for the values which the question names and no sample shows, whichever way they are written. */
export function searchesFor({ tables }: Schema, { lookups }: Reading): WantedCall[] {
  const columns = tables
    .flatMap((table) => table.columns.filter(({ kind }) => kind === "text"))
    .slice(0, MOST_COLUMNS);
  if (columns.length === 0) return [];
  return lookups.map(({ text }) => ({ tool: "query_database", input: { sql: searchSql(text, columns) } }));
}

/** The schema with what searches found as further samples, so that the question reads differently. */
export function withFound(schema: Schema, results: readonly JsonFields[]): Schema {
  const found = results.flatMap(recordsOf);
  const valuesOf = (column: Column): string[] =>
    found.flatMap((row) => {
      const isOf = row.get("table_name") === column.table && row.get("column_name") === column.name;
      const value = row.get("found");
      return isOf && value != null && !column.samples.includes(value) ? [value] : [];
    });
  return {
    tables: schema.tables.map((table) => ({
      ...table,
      columns: table.columns.map((column) => ({
        ...column,
        samples: [...column.samples, ...valuesOf(column)],
      })),
    })),
  };
}
