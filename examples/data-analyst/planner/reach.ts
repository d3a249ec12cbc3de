import { tableNamed, type Column, type Schema, type Table } from "./schema.ts";

/** A step along a foreign key, from the many to the one. */
export type Join = { readonly alias: string; readonly table: Table; readonly on: string };

/** A table that can be joined without counting a row twice, and how to get there. */
export type Reached = { readonly table: Table; readonly alias: string; readonly joins: readonly Join[] };

const FARTHEST = 3;

export function quoteName(name: string): string {
  return `"${name.replaceAll("\0", "").replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("\0", "").replaceAll("'", "''")}'`;
}

/** The base table and all it reaches over foreign keys, nearest first. Each table once: by its shortest way. */
export function reach(schema: Schema, base: Table): Reached[] {
  const reached: Reached[] = [{ table: base, alias: "t0", joins: [] }];
  for (let index = 0; index < reached.length; index++) {
    const from = reached[index]!;
    if (from.joins.length === FARTHEST) continue;
    for (const key of from.table.foreignKeys) {
      const table = tableNamed(schema, key.table);
      if (!table || reached.some((known) => known.table === table)) continue;
      const alias = `t${reached.length}`;
      const on = `${from.alias}.${quoteName(key.column)} = ${alias}.${quoteName(key.references)}`;
      reached.push({ table, alias, joins: [...from.joins, { alias, table, on }] });
    }
  }
  return reached;
}

const LABEL = /^(name|title|label|full_?name|名称|姓名|名字)$|name$|title$|名称$/i;

/** The column that a person would call a row of the table by: its name, else its first text that differs, else its key. */
export function labelColumn(table: Table): Column | undefined {
  const texts = table.columns.filter(({ kind }) => kind === "text");
  return (
    texts.find(({ name }) => LABEL.test(name)) ??
    texts.find(({ unique }) => unique) ??
    table.columns.find(({ name }) => table.primaryKey.includes(name)) ??
    table.columns.find(({ unique }) => unique)
  );
}
