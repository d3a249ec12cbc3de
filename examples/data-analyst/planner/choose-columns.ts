import type { Analysis, ColumnRef, Condition } from "./analysis.ts";
import { createAttempt, fail, type Attempt } from "./attempt.ts";
import { chooseFilter, chooseValue, mergeConditions } from "./choose-condition.ts";
import * as grouping from "./choose-group.ts";
import { chooseMeasure } from "./choose-measure.ts";
import type { Language } from "./language.ts";
import { nameAnalysis } from "./name-analysis.ts";
import type { Join } from "./reach.ts";
import type { Problem, Reading } from "./reading.ts";
import { isDate, type Schema, type Table } from "./schema.ts";

const TABLE_SCORE = 40;

function chooseConditions(attempt: Attempt, { filters, values, alternatives }: Reading): Condition[] {
  const conditions = mergeConditions([
    ...filters.flatMap((filter) => chooseFilter(attempt, filter) ?? []),
    ...values.flatMap(({ values: known, negated }) => chooseValue(attempt, known, negated) ?? []),
  ]);
  if (alternatives && conditions.length > 1) fail(attempt, { kind: "beyond", text: "or" });
  const opposed = conditions.find(({ ref, comparison }) =>
    conditions.some(
      (other) => comparison === "=" && other.comparison === "!=" && other.ref.column === ref.column,
    ),
  );
  if (opposed) fail(attempt, { kind: "beyond", text: `${opposed.ref.column.name} = …, ≠ …` });
  return conditions;
}

/** How rows are put together: groups, and a period of a date. A table without dates may have a column of months. */
function chooseSplit(attempt: Attempt, reading: Reading, averagesOnly: boolean) {
  const dateNouns = reading.groups.filter((noun) => grouping.namesDate(attempt, noun));
  const groups = reading.groups
    .filter((noun) => !dateNouns.includes(noun) && !(averagesOnly && grouping.isRowItself(attempt, noun)))
    .flatMap((noun) => grouping.chooseGroup(attempt, noun) ?? []);
  const date = grouping.chooseDate(attempt, [...reading.topics, ...dateNouns]);
  const said = reading.period ?? (dateNouns.length > 0 ? "day" : undefined);
  const period = said ?? (reading.overview && date && groups.length === 0 ? "month" : undefined);
  const calendar = period && !date ? grouping.calendarGroup(attempt, period) : undefined;
  if (calendar) groups.unshift(calendar);
  const lacksDate = !date && ((period && !calendar) || reading.spans.length > 0);
  if (lacksDate) fail(attempt, { kind: "noDate" });
  const split = period !== undefined && date ? { period, ref: date } : undefined;
  if (reading.top && groups.length === 0 && !split) {
    fail(attempt, { kind: "noColumn", text: reading.topics[0]?.text ?? "top" });
  }
  return { groups, date, period: split };
}

function joinsOf(refs: readonly ColumnRef[]): Join[] {
  return [...new Map(refs.flatMap(({ at }) => at.joins.map((join) => [join.alias, join] as const))).values()];
}

type Tried = { readonly attempt: Attempt; readonly analysis: Analysis };

function tryTable(schema: Schema, base: Table, reading: Reading, language: Language): Tried {
  const attempt = createAttempt(schema, base);
  const isTopic = reading.topics.some(({ tables }) =>
    tables.some(({ table, weight }) => table === base && weight === 3),
  );
  if (isTopic) attempt.score += TABLE_SCORE;
  const measures = reading.metrics.map((wanted) => chooseMeasure(attempt, wanted));
  const averagesOnly = measures.every(({ metric }) => metric === "avg");
  const { groups, date, period } = chooseSplit(attempt, reading, averagesOnly);
  const conditions = chooseConditions(attempt, reading);
  const time = date && reading.spans.length > 0 ? { ref: date, spans: reading.spans } : undefined;
  const wantsBreakdown = reading.overview && groups.length === 0 && !reading.top;
  const breakdown = wantsBreakdown ? grouping.chooseBreakdown(attempt) : undefined;
  const used = [
    ...measures.flatMap(({ ref }) => ref ?? []),
    ...groups.flatMap(({ ref, key }) => [ref, ...(key ? [key] : [])]),
    ...conditions.map(({ ref }) => ref),
    ...(period ? [period.ref] : []),
    ...(time ? [time.ref] : []),
  ];
  const status = grouping.statusColumn(attempt);
  const analysis = nameAnalysis({
    language,
    table: base,
    joins: joinsOf(used),
    measures,
    groups,
    conditions,
    overview: reading.overview,
    dateColumns: base.columns.filter(isDate),
    ...(period && { period }),
    ...(time && { time }),
    ...(reading.top && { top: reading.top }),
    ...(reading.chart && { chart: reading.chart }),
    ...(breakdown && { breakdown }),
    ...(status && used.every(({ column }) => column !== status) && { status }),
  });
  return { attempt, analysis };
}

/** Ties a question to the table and columns that fit it best, or says what stands in the way. */
export function chooseColumns(schema: Schema, reading: Reading, language: Language): Analysis | Problem {
  if (reading.problem) return reading.problem;
  const [best] = schema.tables
    .map((table) => tryTable(schema, table, reading, language))
    .toSorted(
      (a, b) => b.attempt.score - a.attempt.score || b.attempt.base.rowCount - a.attempt.base.rowCount,
    );
  if (!best) return { kind: "nothingAsked" };
  return best.attempt.problem ?? best.analysis;
}
