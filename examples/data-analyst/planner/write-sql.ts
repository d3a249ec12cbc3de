import type { Analysis, Group, Measure } from "./analysis.ts";
import { columnSql, dateSql, periodSql, whereSql } from "./condition-sql.ts";
import { EXTRA_NAMES } from "./name-analysis.ts";
import { quoteName } from "./reach.ts";
import { isNumber } from "./schema.ts";

/** How the rows of an analysis are put together. `top` keeps so many rows of the whole, or of each period if there are
 *  groups too. */
export type Split = Pick<Analysis, "groups" | "period" | "top">;

function groupSql(
  { ref, key, alias }: Group,
  analysis: Analysis,
): { readonly select: string; readonly by: string[] } {
  const sql = columnSql(ref, analysis);
  return { select: `${sql} AS ${quoteName(alias)}`, by: [...(key ? [columnSql(key, analysis)] : []), sql] };
}

/** Sums of decimals are rounded to their decimals, so that 0.1 + 0.2 is 0.3; means have at least two. */
function aggregateSql({ metric, ref }: Measure, analysis: Analysis): string {
  if (!ref) return "COUNT(*)";
  const sql = columnSql(ref, analysis);
  const decimals = Math.max(2, ref.column.decimals);
  switch (metric) {
    case "count":
      return `COUNT(${isNumber(ref.column) ? "" : "DISTINCT "}${sql})`;
    case "avg":
      return `ROUND(AVG(${sql}), ${decimals})`;
    case "sum":
      return ref.column.kind === "integer" ? `SUM(${sql})` : `ROUND(SUM(${sql}), ${decimals})`;
    default:
      return `${metric.toUpperCase()}(${sql})`;
  }
}

function measureSql(measure: Measure, analysis: Analysis): string {
  return `${aggregateSql(measure, analysis)} AS ${quoteName(measure.alias)}`;
}

function fromSql({ table, joins }: Analysis): string {
  if (joins.length === 0) return quoteName(table.name);
  const joined = joins.map(
    (join) => `LEFT JOIN ${quoteName(join.table.name)} AS ${join.alias} ON ${join.on}`,
  );
  return [`${quoteName(table.name)} AS t0`, ...joined].join(" ");
}

/** One row: how many rows there are, and every measure over all of them. */
export function overallSql(analysis: Analysis): string {
  const { rows, measures } = analysis;
  const selected = [rows, ...measures.filter((measure) => measure !== rows)].map((measure) =>
    measureSql(measure, analysis),
  );
  return `SELECT ${selected.join(", ")} FROM ${fromSql(analysis)}${whereSql(analysis)}`;
}

/** True if the values of the parts add up to that of the whole, so that each has a share. */
function isAdditive({ metric, ref }: Measure): boolean {
  return metric === "count"
    ? !ref || isNumber(ref.column)
    : metric === "sum" && ref?.column.nonNegative === true;
}

/** The change against the row before, or the share in the whole, as a percentage with one decimal. */
function extraSql({ language }: Analysis, { groups, period }: Split, first: Measure): string[] {
  const { change, share } = EXTRA_NAMES[language];
  const measure = quoteName(first.alias);
  if (period && groups.length === 0) {
    const before = `LAG(${measure}) OVER (ORDER BY ${quoteName(period.alias)})`;
    return [`ROUND(100.0 * (${measure} - ${before}) / ABS(NULLIF(${before}, 0)), 1) AS ${quoteName(change)}`];
  }
  if (period || groups.length !== 1 || !isAdditive(first)) return [];
  return [`ROUND(100.0 * ${measure} / NULLIF(SUM(${measure}) OVER (), 0), 1) AS ${quoteName(share)}`];
}

function groupedSql(analysis: Analysis, { groups, period }: Split): string {
  const when = period && periodSql(period.period, dateSql(period.ref, analysis));
  const grouped = groups.map((group) => groupSql(group, analysis));
  const selected = [
    ...(period && when !== undefined ? [`${when} AS ${quoteName(period.alias)}`] : []),
    ...grouped.map(({ select }) => select),
    ...analysis.measures.map((measure) => measureSql(measure, analysis)),
  ];
  const by = [...(when === undefined ? [] : [when]), ...grouped.flatMap((group) => group.by)];
  // A condition on time has left out the rows without a date already.
  const dated = when === undefined || analysis.time ? [] : [`${when} IS NOT NULL`];
  return `SELECT ${selected.join(", ")} FROM ${fromSql(analysis)}${whereSql(analysis, dated)} GROUP BY ${by.join(", ")}`;
}

/** The measures per group and period, ordered as a reader wants them: time first, then the largest. */
export function splitSql(analysis: Analysis, split: Split): string {
  const { groups, period, top } = split;
  const [first] = analysis.measures;
  if (!first) return overallSql(analysis);
  const grouped = `WITH grouped AS (${groupedSql(analysis, split)})`;
  const when = period ? [quoteName(period.alias)] : [];
  const largest = `${quoteName(first.alias)} ${top && !top.descending ? "ASC" : "DESC"} NULLS LAST`;
  const ranked = [largest, ...groups.map(({ alias }) => quoteName(alias))];
  if (period && groups.length > 0 && top) {
    const rank = `ROW_NUMBER() OVER (PARTITION BY ${when.join()} ORDER BY ${ranked.join(", ")}) AS rank`;
    return `${grouped}, ranked AS (SELECT *, ${rank} FROM grouped) SELECT * FROM ranked WHERE rank <= ${top.count} ORDER BY ${when.join()}, rank`;
  }
  const columns = ["*", ...extraSql(analysis, split, first)].join(", ");
  const order = top ? [...ranked, ...when] : [...when, ...(period && groups.length === 0 ? [] : ranked)];
  return `${grouped} SELECT ${columns} FROM grouped ORDER BY ${order.join(", ")}${top ? ` LIMIT ${top.count}` : ""}`;
}
