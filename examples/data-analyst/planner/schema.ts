import type { JsonFields, JsonValue } from "./conversation.ts";

/** What the planner knows of a column, read from the result of describe_database. */
export type Column = {
  readonly table: string;
  readonly name: string;
  readonly kind: string;
  readonly dateFormat?: string;
  readonly decimals: number;
  readonly distinct: number;
  readonly samples: readonly string[];
  /** True if none of the values is below zero. */
  readonly nonNegative: boolean;
  /** It names things with numbers or codes, or numbers the rows: its sum means nothing. */
  readonly identifier: boolean;
  /** The value that says yes, of a column of yes and no: its name then says which rows are meant, as in "members". */
  readonly yes?: string;
  /** Every row has another value, so it names rows and does not group them. */
  readonly unique: boolean;
};

export type Table = {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly Column[];
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly {
    readonly column: string;
    readonly table: string;
    readonly references: string;
  }[];
};

export type Schema = { readonly tables: readonly Table[] };

function listOf(value: JsonValue | undefined): readonly JsonFields[] {
  return Array.isArray(value) ? (value as readonly JsonFields[]) : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}

const IDENTIFIER = /(^|[^a-z])(id|ids|no|nr|code|zip|postcode|phone|key|uuid)$|编号|代码|号码|邮编|电话/i;
/** Names of columns that number the rows. */
const ROW_NUMBER = /^(#|no\.?|nr\.?|row|row (no|number|id)|index|序号|行号)$/i;
/** Fewer rows may be numbered by chance. */
const NUMBERED_ROWS = 10;
const CAMEL_ID = /[a-z](Id|ID|Code|Key|No)$/;

const YES = new Set(["yes", "y", "true", "t", "ja", "oui", "si", "sí", "是", "有"]);
const NO = new Set(["no", "n", "false", "f", "nein", "non", "否", "无"]);

/** The value that says yes, if all values say yes or no, and each in one way. */
function yesOf(samples: readonly string[], distinct: number): string | undefined {
  const isYes = (sample: string): boolean => YES.has(sample.trim().toLowerCase());
  const areAll = samples.every((sample) => isYes(sample) || NO.has(sample.trim().toLowerCase()));
  const [yes, ...others] = samples.filter(isYes);
  return distinct <= 2 && areAll && others.length === 0 ? yes : undefined;
}

/** True for 1, 2, 3 … without a gap. */
function numbersRows(fields: JsonFields, distinct: number, rowsSeen: number): boolean {
  const [min, max] = [fields["min"], fields["max"]];
  const isGapless = typeof min === "number" && typeof max === "number" && max - min + 1 === distinct;
  return (
    fields["kind"] === "integer" &&
    isGapless &&
    (min === 0 || min === 1) &&
    distinct === rowsSeen &&
    rowsSeen >= NUMBERED_ROWS
  );
}

function readColumn(table: JsonFields, fields: JsonFields): Column {
  const name = textOf(fields["name"]);
  const keys = [
    ...listOf(table["foreignKeys"]).map((key) => key["column"]),
    ...(Array.isArray(table["primaryKey"]) ? table["primaryKey"] : []),
  ];
  const samples = fields["samples"];
  const distinct = numberOf(fields["distinct"]);
  const rowsSeen = numberOf(table["sampledRows"]) || numberOf(table["rowCount"]);
  const dateFormat = textOf(fields["dateFormat"]);
  const texts = Array.isArray(samples) ? samples.filter((sample) => typeof sample === "string") : [];
  const yes = textOf(fields["kind"]) === "text" ? yesOf(texts, distinct) : undefined;
  return {
    table: textOf(table["name"]),
    name,
    kind: textOf(fields["kind"]),
    ...(dateFormat !== "" && { dateFormat }),
    decimals: numberOf(fields["decimals"]),
    distinct,
    samples: texts,
    nonNegative: numberOf(fields["min"]) >= 0,
    identifier:
      [IDENTIFIER, CAMEL_ID, ROW_NUMBER].some((pattern) => pattern.test(name)) ||
      keys.includes(name) ||
      numbersRows(fields, distinct, rowsSeen),
    ...(yes !== undefined && { yes }),
    unique: rowsSeen > 1 && distinct === rowsSeen,
  };
}

/** The schema that describe_database gave. Unknown fields are ignored and missing ones empty. */
export function readSchema(result: JsonFields): Schema {
  return {
    tables: listOf(result["tables"]).map((table) => ({
      name: textOf(table["name"]),
      rowCount: numberOf(table["rowCount"]),
      columns: listOf(table["columns"]).map((column) => readColumn(table, column)),
      primaryKey: Array.isArray(table["primaryKey"]) ? table["primaryKey"].map(String) : [],
      foreignKeys: listOf(table["foreignKeys"]).map((key) => ({
        column: textOf(key["column"]),
        table: textOf(key["table"]),
        references: textOf(key["references"]),
      })),
    })),
  };
}

export function isNumber({ kind }: Column): boolean {
  return kind === "integer" || kind === "real";
}

/** A number that it makes sense to add up or average. */
export function isMeasure(column: Column): boolean {
  return isNumber(column) && !column.identifier;
}

export function isDate({ kind }: Column): boolean {
  return kind === "date";
}

/** The table of that name. SQLite does not mind the case. */
export function tableNamed(schema: Schema, name: string): Table | undefined {
  return schema.tables.find((table) => table.name.toLowerCase() === name.toLowerCase());
}
