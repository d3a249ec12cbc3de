import type { ChartType, Period } from "./lexicon.ts";
import type { Noun, Problem, Reading, WantedMetric } from "./reading.ts";
import { isMeasure } from "./schema.ts";
import type { Token } from "./token.ts";

/** A metric and where it was said; `bound` tells on which side its noun stood. */
export type DraftMetric = WantedMetric & { readonly at: number; readonly bound?: "left" | "right" };

/** A question while its tokens are walked through: what has been understood so far. */
export type Draft = {
  readonly tokens: readonly Token[];
  metrics: DraftMetric[];
  groups: Noun[];
  topics: (Noun & { readonly at: number })[];
  filters: Reading["filters"][number][];
  values: Reading["values"][number][];
  spans: Reading["spans"][number][];
  lookups: Reading["lookups"][number][];
  unused: string[];
  period?: Period;
  top?: { readonly count: number; readonly descending: boolean };
  /** "highest" without a number: one row of a group, or the maximum if there is no group. */
  extreme?: { readonly descending: boolean; readonly at: number };
  /** The name before which a number stands: "5 cities with the highest …". */
  counted?: { readonly count: number; readonly noun: Noun };
  which: boolean;
  chart?: ChartType;
  trend: boolean;
  overview: boolean;
  alternatives: boolean;
  problem?: Problem;
};

export function createDraft(tokens: readonly Token[]): Draft {
  return {
    tokens,
    metrics: [],
    groups: [],
    topics: [],
    filters: [],
    values: [],
    spans: [],
    lookups: [],
    unused: [],
    which: false,
    trend: false,
    overview: false,
    alternatives: false,
  };
}

/** The words that stand at a position, without a break. */
export function wordsAt({ tokens }: Draft, at: number): Token[] {
  const end = tokens.findIndex(({ kind }, index) => index >= at && kind !== "word");
  return tokens.slice(at, end === -1 ? tokens.length : end);
}

/** Tokens as the text they were: Chinese characters side by side, everything else with a blank. */
export function textOf(tokens: readonly Token[]): string {
  return joinHan(tokens.map((token) => (token.kind === "literal" ? String(token.literal) : token.text))).join(
    " ",
  );
}

/** Chinese characters that stood side by side, as one text. */
export function joinHan(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const sideBySide = last !== undefined && /\p{Script=Han}$/u.test(last) && /^\p{Script=Han}/u.test(word);
    if (sideBySide) joined[joined.length - 1] = last + word;
    else joined.push(word);
  }
  return joined;
}

/** True if the name can only be a number to compute with, not something to group by. */
export function isOnlyNumeric({ columns, tables }: Pick<Noun, "columns" | "tables">): boolean {
  const surest = Math.max(...columns.map(({ weight }) => weight));
  const best = columns.filter(({ weight }) => weight === surest);
  return tables.every(({ weight }) => weight < surest) && best.every(({ column }) => isMeasure(column));
}

export function canBeNumber({ columns }: Noun): boolean {
  return columns.some(({ column }) => isMeasure(column));
}
