import type { Analysis, ColumnRef, Condition } from "./analysis.ts";
import type { Period } from "./lexicon.ts";
import { quoteName, quoteText } from "./reach.ts";
import type { Operand } from "./read-operand.ts";
import type { TimeSpan } from "./read-time.ts";

type Joined = Pick<Analysis, "joins">;

export function columnSql({ column, at }: ColumnRef, { joins }: Joined): string {
  return joins.length === 0 ? quoteName(column.name) : `${at.alias}.${quoteName(column.name)}`;
}

/** A date column as ISO text, whatever it is stored as. */
export function dateSql(ref: ColumnRef, joined: Joined): string {
  const sql = columnSql(ref, joined);
  if (ref.column.dateFormat === "slash") return `replace(${sql}, '/', '-')`;
  if (ref.column.dateFormat === "dotted")
    return `(substr(${sql}, 7, 4) || '-' || substr(${sql}, 4, 2) || '-' || substr(${sql}, 1, 2))`;
  if (ref.column.dateFormat === "unix") return `strftime('%Y-%m-%dT%H:%M:%S', ${sql}, 'unixepoch')`;
  if (ref.column.dateFormat === "unixMs") return `strftime('%Y-%m-%dT%H:%M:%S', ${sql} / 1000, 'unixepoch')`;
  return sql;
}

/** The period that an ISO date lies in, as text that sorts by time. */
export function periodSql(period: Period, date: string): string {
  switch (period) {
    case "week":
      return `strftime('%G-W%V', substr(${date}, 1, 10))`;
    case "month":
      return `substr(${date}, 1, 7)`;
    case "quarter":
      return `substr(${date}, 1, 4) || '-Q' || ((CAST(substr(${date}, 6, 2) AS INTEGER) + 2) / 3)`;
    case "year":
      return `substr(${date}, 1, 4)`;
    default:
      return `substr(${date}, 1, 10)`;
  }
}

function prefixSql(date: string, comparison: string, prefix: string): string {
  return `substr(${date}, 1, ${prefix.length}) ${comparison} ${quoteText(prefix)}`;
}

/** Comparing prefixes of ISO text means the same for days, months and years, with or without a time of day. */
function spanSql(span: TimeSpan, date: string): string {
  if (span.kind === "months") {
    const months = span.months.map((month) => quoteText(String(month).padStart(2, "0")));
    return `substr(${date}, 6, 2) IN (${months.join(", ")})`;
  }
  const { from, to } = span;
  if (from !== undefined && from === to) return prefixSql(date, "=", from);
  const ends = [
    ...(from === undefined ? [] : [prefixSql(date, ">=", from)]),
    ...(to === undefined ? [] : [prefixSql(date, "<=", to)]),
  ];
  return ends.join(" AND ");
}

function anyOf(conditions: readonly string[]): string {
  const [only, ...more] = conditions;
  if (only === undefined || more.length === 0) return only ?? "TRUE";
  return `(${conditions.map((condition) => `(${condition})`).join(" OR ")})`;
}

function dateOperandSql(operand: Operand, comparison: Condition["comparison"], date: string): string {
  if (typeof operand === "string") return `${date} ${comparison} ${quoteText(operand)}`;
  if (typeof operand === "number") return prefixSql(date, comparison, String(operand));
  if (comparison === "!=") return `NOT (${spanSql(operand, date)})`;
  if (comparison === "=" || operand.kind === "months") return spanSql(operand, date);
  const end = comparison === ">" || comparison === "<=" ? operand.to : operand.from;
  return end === undefined ? spanSql(operand, date) : prefixSql(date, comparison, end);
}

function literal(operand: Operand): string {
  return typeof operand === "number"
    ? String(operand)
    : typeof operand === "string"
      ? quoteText(operand)
      : "NULL";
}

function conditionSql({ ref, comparison, operands }: Condition, joined: Joined): string {
  if (ref.column.kind === "date") {
    const date = dateSql(ref, joined);
    const parts = operands.map((operand) => dateOperandSql(operand, comparison, date));
    return comparison === "!=" ? parts.join(" AND ") : anyOf(parts);
  }
  const column = columnSql(ref, joined);
  // A text that no sample showed may be written in another case than it is stored.
  const folds = operands.some(
    (operand) => typeof operand === "string" && !ref.column.samples.includes(operand),
  );
  const compared = folds ? `${column} COLLATE NOCASE` : column;
  if (operands.length === 1) return `${compared} ${comparison} ${literal(operands[0]!)}`;
  return `${compared} ${comparison === "=" ? "IN" : "NOT IN"} (${operands.map(literal).join(", ")})`;
}

/** The WHERE clause of an analysis with a blank before it, or nothing. */
export function whereSql(analysis: Analysis, more: readonly string[] = []): string {
  const { time, conditions } = analysis;
  const date = time && dateSql(time.ref, analysis);
  const parts = [
    ...(time && date !== undefined ? [anyOf(time.spans.map((span) => spanSql(span, date)))] : []),
    ...conditions.map((condition) => conditionSql(condition, analysis)),
    ...more,
  ];
  return parts.length === 0 ? "" : ` WHERE ${parts.join(" AND ")}`;
}
