import { createDraft, joinHan, type Draft } from "./draft.ts";
import { readAside, readMetric } from "./read-metric.ts";
import { readExtreme, readGroups, readIn, readName, readNot, readRanked, readWhich } from "./read-name.ts";
import type { Noun, Reading } from "./reading.ts";
import { isDate } from "./schema.ts";
import { settleMetrics, settleRanking, shareNouns } from "./settle.ts";
import { isName, type Token } from "./token.ts";

/** Reads what starts at a token; returns where to read on. */
function step(draft: Draft, at: number): number {
  const token = draft.tokens[at]!;
  switch (token.kind) {
    case "metric":
      return readMetric(draft, at);
    case "by":
      return readGroups(draft, at);
    case "top":
      draft.top = token;
      return readRanked(draft, at);
    case "extreme":
      return readExtreme(draft, at);
    case "which":
      return readWhich(draft, at);
    case "name":
      return readName(draft, at);
    case "in":
      return readIn(draft, at, false);
    case "not":
      return readNot(draft, at);
    default:
      take(draft, at);
      return at + 1;
  }
}

/** Takes a token that stands for itself. */
function take(draft: Draft, at: number): void {
  const token = draft.tokens[at]!;
  switch (token.kind) {
    case "averageValue":
      draft.metrics.push({ metric: "avg", at, bound: "right" });
      break;
    case "filter":
      draft.filters.push(token);
      break;
    case "literal": {
      const next = draft.tokens[at + 1];
      if (typeof token.literal === "number" && isName(next))
        draft.counted = { count: token.literal, noun: next };
      else draft.unused.push(token.text);
      break;
    }
    case "chart":
      if (token.chart) draft.chart ??= token.chart;
      break;
    case "trend":
      draft.trend = true;
      draft.period ??= "month";
      break;
    case "overview":
      draft.overview = true;
      break;
    case "or":
      draft.alternatives = true;
      break;
    case "beyond":
      draft.problem ??= { kind: "beyond", text: token.text };
      break;
    default:
      readAside(draft, token);
  }
}

const MEANINGLESS = new Set<Token["kind"]>(["word", "break", "and", "where", "in", "which"]);
/** So many words that nothing was made of, and more than were understood, make it another question. */
const MOST_UNUSED = 2;

/** Names of columns that were said and play no part in what will be computed. Names of the rows themselves and of dates
 *  need not: "the average amount of orders". */
function idleTopics({ topics, metrics }: Draft): string[] {
  const counts = (noun: Noun): boolean => metrics.some((metric) => metric.noun?.text === noun.text);
  const isPlain = ({ columns, tables }: Noun): boolean =>
    tables.length > 0 || columns.every(({ column }) => column.unique || column.identifier || isDate(column));
  return topics.filter((topic) => !counts(topic) && !isPlain(topic)).map(({ text }) => text);
}

/** Takes the tokens of a question apart, from left to right. */
export function interpret(tokens: readonly Token[]): Reading {
  const draft = createDraft(tokens.filter(({ kind }) => kind !== "filler"));
  for (let at = 0; at < draft.tokens.length;) at = step(draft, at);
  shareNouns(draft);
  settleRanking(draft);
  settleMetrics(draft);
  const understood = draft.tokens.filter(({ kind }) => !MEANINGLESS.has(kind)).length;
  const strange = draft.unused.length > MOST_UNUSED && draft.unused.length > understood;
  const isAboutData = draft.tokens.some(
    ({ kind }) => kind === "metric" || kind === "name" || kind === "value",
  );
  if (strange || !isAboutData) draft.problem = { kind: "nothingAsked" };
  else if (draft.metrics.length === 0) draft.problem ??= { kind: "nothingAsked" };
  const unused = [...joinHan(draft.unused), ...idleTopics(draft)];
  if (unused.length > 0) draft.problem ??= { kind: "unknown", text: unused.join(" ") };
  const { metrics, groups, topics, filters, values, spans, lookups, overview, alternatives } = draft;
  const { period, top, problem, chart = draft.trend ? "line" : undefined } = draft;
  return {
    metrics,
    groups,
    topics,
    filters,
    values,
    spans,
    lookups,
    overview,
    alternatives,
    ...(period && { period }),
    ...(top && { top }),
    ...(chart && { chart }),
    ...(problem && { problem }),
  };
}
