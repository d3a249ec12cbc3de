import type { Analysis, Group, Measure } from "./analysis.ts";
import type { JsonFields } from "./conversation.ts";
import { describeMeasured, describeSplit } from "./describe-scope.ts";
import { displayName, EXTRA_NAMES, groupNoun } from "./name-analysis.ts";
import { cellText, recordsOf } from "./tool-runs.ts";
import { wordsFor } from "./words.ts";
import type { Split } from "./write-sql.ts";

type Row = ReadonlyMap<string, string | null>;

function cell(row: Row | undefined, column: string): string | null {
  return row?.get(column) ?? null;
}

/** The measures of the one row over everything, as lines. */
export function overallLines({ language, rows, measures }: Analysis, overall: JsonFields): string[] {
  const { colon, none } = wordsFor(language);
  const [row] = recordsOf(overall);
  const all = [...measures.filter((measure) => measure !== rows), rows];
  return all.map(({ label, alias }) => `${capital(label)}${colon}${cell(row, alias) ?? none}`);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a row is about: its period and groups. */
function rowName({ language }: Pick<Analysis, "language">, { groups, period }: Split, row: Row): string {
  const { none } = wordsFor(language);
  return [...(period ? [period.alias] : []), ...groups.map(({ alias }) => alias)]
    .map((alias) => cell(row, alias) ?? none)
    .join(", ");
}

const LINES = 24;

/** One line per row of a split result, as many as fit. */
export function splitLines(analysis: Analysis, split: Split, result: JsonFields): string[] {
  const words = wordsFor(analysis.language);
  const rows = recordsOf(result);
  const names = EXTRA_NAMES[analysis.language];
  const lines = rows.slice(0, LINES).map((row) => {
    const values = analysis.measures.map(({ label, alias }) => `${label} ${cell(row, alias) ?? words.none}`);
    const [change, share] = [cell(row, names.change), cell(row, names.share)];
    const extra = [
      ...(change === null ? [] : [words.change(change)]),
      ...(share === null ? [] : [words.share(share)]),
    ];
    return `- ${rowName(analysis, split, row)}${words.colon}${[...values, ...extra].join(words.list)}`;
  });
  const count = cellText(result["rowCount"]) ?? "";
  const heading = `${capital(describeSplit(analysis, split))}${words.colon.trimEnd()}`;
  return [heading, ...lines, ...(Number(count) > lines.length ? [words.more(count)] : [])];
}

function nameOf(
  analysis: Analysis,
  split: Split,
  rows: readonly Row[],
  { alias }: Measure,
  value: string,
): string {
  const words = wordsFor(analysis.language);
  const row = rows.find((candidate) => cell(candidate, alias) === value);
  return row ? words.aside(value, rowName(analysis, split, row)) : value;
}

/** Highest and lowest row, mean and median, as the statistics tool computed them. */
export function statisticsLines(
  analysis: Analysis,
  split: Split,
  main: JsonFields,
  statistics: JsonFields,
): string[] {
  const words = wordsFor(analysis.language);
  const values = statistics["statistics"] as JsonFields | undefined;
  const [measure] = analysis.measures;
  const [max, min, mean, median] = ["max", "min", "mean", "median"].map((name) => cellText(values?.[name]));
  if (!measure || max == null || min == null || mean == null || median == null) return [];
  const rows = recordsOf(main);
  const label = capital(describeMeasured(analysis, [measure], split));
  return [
    words.extremes(
      label,
      nameOf(analysis, split, rows, measure, max),
      nameOf(analysis, split, rows, measure, min),
    ),
    words.mean(label, mean, median),
  ];
}

/** The largest rise and fall between neighbouring periods. */
export function changeLines(analysis: Analysis, split: Split, main: JsonFields): string[] {
  if (split.top) return [];
  const words = wordsFor(analysis.language);
  const changes = recordsOf(main).flatMap((row) => {
    const percent = cell(row, EXTRA_NAMES[analysis.language].change);
    return percent === null ? [] : [{ when: rowName(analysis, split, row), percent }];
  });
  const sorted = changes.toSorted((a, b) => Number(b.percent) - Number(a.percent));
  const [rise, fall] = [sorted[0], sorted.at(-1)];
  return [
    ...(rise && Number(rise.percent) > 0 ? [words.rise(rise.when, `+${rise.percent}`)] : []),
    ...(fall && Number(fall.percent) < 0 ? [words.fall(fall.when, fall.percent)] : []),
  ];
}

/** The largest group of a breakdown. */
export function breakdownLines(analysis: Analysis, group: Group, result: JsonFields): string[] {
  const words = wordsFor(analysis.language);
  const [measure] = analysis.measures;
  const [row] = recordsOf(result);
  const value = measure && cell(row, measure.alias);
  if (!row || value == null) return [];
  const what = displayName(groupNoun(group), analysis.language);
  return [
    words.largest(
      what,
      cell(row, group.alias) ?? words.none,
      value,
      cell(row, EXTRA_NAMES[analysis.language].share) ?? "",
    ),
  ];
}

/** What a reader has to know to take the numbers for what they are. */
export function noteLines({ language, time, period, status, dateColumns }: Analysis): string[] {
  const words = wordsFor(language);
  const date = time?.ref.column ?? period?.ref.column;
  return [
    ...(status ? [words.statuses(status.name, status.samples.join(words.list))] : []),
    ...(date && dateColumns.length > 1 ? [words.dateUsed(date.name)] : []),
  ];
}
