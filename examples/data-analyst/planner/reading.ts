import type { ChartType, Comparison, MetricName, Period } from "./lexicon.ts";
import type { Naming, ValueOf } from "./phrases.ts";
import type { Operand } from "./read-operand.ts";
import type { TimeSpan } from "./read-time.ts";

/** A name as it stands in the question. */
export type Noun = { readonly text: string } & Naming;

export type WantedMetric = {
  readonly metric: MetricName;
  /** Absent = what the question is about, else what the table is about. */
  readonly noun?: Noun;
  /** "how many units": things are counted, even if a column already holds their number. */
  readonly counts?: boolean;
};

/** Why a question cannot be answered; `text` is the part of it that stands in the way. */
export type Problem =
  | { readonly kind: "nothingAsked" }
  | { readonly kind: "beyond"; readonly text: string }
  | { readonly kind: "noColumn"; readonly text: string }
  | { readonly kind: "noValue"; readonly text: string }
  /** Words that nothing was made of: they may say which rows are meant. */
  | { readonly kind: "unknown"; readonly text: string }
  | { readonly kind: "noNumber" }
  | { readonly kind: "noDate" };

/** A question taken apart, before it is known which columns of which table it means. */
export type Reading = {
  readonly metrics: readonly WantedMetric[];
  readonly groups: readonly Noun[];
  readonly period?: Period;
  readonly top?: { readonly count: number; readonly descending: boolean };
  readonly filters: readonly {
    readonly naming: Naming;
    readonly comparison: Comparison;
    readonly operands: readonly Operand[];
  }[];
  readonly values: readonly { readonly values: readonly ValueOf[]; readonly negated: boolean }[];
  readonly spans: readonly TimeSpan[];
  /** Names that were said without a role; they help to choose the table. */
  readonly topics: readonly Noun[];
  readonly chart?: ChartType;
  /** "Analyse …": say more than was asked for by name. */
  readonly overview: boolean;
  /** "or" was said, so conditions on different columns would be combined wrongly. */
  readonly alternatives: boolean;
  /** Texts that may be values which no sample shows, and have to be looked for. */
  readonly lookups: readonly { readonly text: string; readonly negated: boolean }[];
  readonly problem?: Problem;
};
