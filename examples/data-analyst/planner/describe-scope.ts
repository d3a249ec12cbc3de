import type { Analysis, Condition, Measure } from "./analysis.ts";
import { displayName, displayNames, groupNoun, PERIOD_WORDS } from "./name-analysis.ts";
import type { Operand } from "./read-operand.ts";
import type { TimeSpan } from "./read-time.ts";
import { wordsFor, type Words } from "./words.ts";
import type { Split } from "./write-sql.ts";

function spanText(span: TimeSpan, words: Words): string {
  if (span.kind === "months") return words.months(span.months.join(words.list));
  const { from, to } = span;
  if (from === undefined) return words.until(to ?? "");
  if (to === undefined) return words.since(from);
  return from === to ? from : words.span(from, to);
}

function operandText(operand: Operand, words: Words): string {
  return typeof operand === "object" ? spanText(operand, words) : String(operand);
}

function conditionText({ ref, comparison, operands }: Condition, words: Words): string {
  return `${ref.column.name} ${comparison} ${operands.map((operand) => operandText(operand, words)).join(comparison === "=" ? words.or : words.and)}`;
}

/** Which rows are meant: times and conditions; "" for all of them. */
export function describeScope({ language, time, conditions }: Analysis): string {
  const words = wordsFor(language);
  return [
    ...(time?.spans.map((span) => spanText(span, words)) ?? []),
    ...conditions.map((condition) => conditionText(condition, words)),
  ].join(words.list);
}

/** How rows are put together: "by city per month", "top 5 cities". */
export function describeSplit({ language }: Analysis, { groups, period, top }: Split): string {
  const words = wordsFor(language);
  const nameOf = top && top.count > 1 ? displayNames : displayName;
  const names = groups.map((group) => nameOf(groupNoun(group), language)).join(words.and);
  const unit = period && PERIOD_WORDS[language][period.period];
  const parts = [
    ...(names === "" ? [] : [top ? words.top(top.count, top.descending, names) : words.by(names)]),
    ...(unit === undefined
      ? []
      : [top && names === "" ? words.top(top.count, top.descending, unit) : words.per(unit)]),
  ];
  return parts.join(language === "en" ? " " : "");
}

/** Measures and split in one phrase: "total amount by city", "top 5 cities by total amount". */
export function describeMeasured(
  analysis: Analysis,
  measures: readonly Measure[],
  split: Split | undefined,
): string {
  const words = wordsFor(analysis.language);
  const labels = measures.map(({ label }) => label).join(words.and);
  if (!split) return labels;
  const how = describeSplit(analysis, split);
  if (analysis.language === "zh") return `${how}${split.top ? "，" : "的"}${labels}`;
  return split.top ? `${how} by ${labels}` : `${labels} ${how}`;
}

/** What is computed, in one line: the title of the report. */
export function describeTitle(analysis: Analysis, split: Split | undefined): string {
  const { language, measures, overview, table } = analysis;
  const words = wordsFor(language);
  const title = overview
    ? words.analysisOf(displayName(table.name, language))
    : describeMeasured(analysis, measures, split);
  const scope = describeScope(analysis);
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}${scope === "" ? "" : `${language === "en" ? ", " : "，"}${scope}`}`;
}
