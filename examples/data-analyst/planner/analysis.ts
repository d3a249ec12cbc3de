import type { Language } from "./language.ts";
import type { ChartType, Comparison, MetricName, Period } from "./lexicon.ts";
import type { Join, Reached } from "./reach.ts";
import type { Operand } from "./read-operand.ts";
import type { TimeSpan } from "./read-time.ts";
import type { Column, Table } from "./schema.ts";

/** A column and where it is joined in. */
export type ColumnRef = { readonly column: Column; readonly at: Reached };

export type Measure = {
  readonly metric: MetricName;
  /** Absent: rows are counted. */
  readonly ref?: ColumnRef;
  /** Its name in results, and what the answer calls it. */
  readonly alias: string;
  readonly label: string;
};

export type Group = {
  readonly ref: ColumnRef;
  readonly alias: string;
  /** Set when rows of a joined table are meant, of which two may have the same label. */
  readonly key?: ColumnRef;
};

export type Condition = {
  readonly ref: ColumnRef;
  readonly comparison: Comparison;
  /** Several are alternatives. */
  readonly operands: readonly Operand[];
};

/** What will be computed: a question tied to the columns of one table and those it reaches. */
export type Analysis = {
  readonly language: Language;
  readonly table: Table;
  readonly joins: readonly Join[];
  readonly measures: readonly Measure[];
  /** How many rows there are; one of the measures if it was asked for. */
  readonly rows: Measure;
  readonly groups: readonly Group[];
  readonly period?: { readonly period: Period; readonly ref: ColumnRef; readonly alias: string };
  /** Alternatives on one date column. */
  readonly time?: { readonly ref: ColumnRef; readonly spans: readonly TimeSpan[] };
  readonly conditions: readonly Condition[];
  readonly top?: { readonly count: number; readonly descending: boolean };
  readonly chart?: ChartType;
  /** A whole analysis was asked for. */
  readonly overview: boolean;
  /** A category to break down by, when a whole analysis was asked for. */
  readonly breakdown?: Group;
  /** A column of statuses, all of which are counted. */
  readonly status?: Column;
  readonly dateColumns: readonly Column[];
};
