import type { Language } from "./language.ts";
import type { Stage } from "./keep-plan.ts";
import type { Problem } from "./reading.ts";
import { EN } from "./words-en.ts";
import { ZH } from "./words-zh.ts";

/** Everything the planner says that is not a name or a number, in both languages. */
export type Words = {
  readonly and: string;
  readonly list: string;
  readonly colon: string;
  readonly aside: (what: string, aside: string) => string;
  readonly look: string;
  readonly lookUp: string;
  readonly notInDocuments: string;
  readonly search: string;
  readonly query: string;
  readonly queryAgain: string;
  readonly statistics: string;
  readonly chart: string;
  readonly report: string;
  /** The plan that the analyst makes and follows. */
  readonly plan: {
    readonly make: string;
    readonly goOn: string;
    readonly end: string;
    readonly about: string;
    readonly expected: string;
    readonly subtasks: { readonly [stage in Stage]: string };
    readonly nothing: string;
  };
  readonly per: (unit: string) => string;
  readonly by: (names: string) => string;
  readonly top: (count: number, descending: boolean, names: string) => string;
  readonly analysisOf: (table: string) => string;
  readonly span: (from: string, to: string) => string;
  readonly since: (from: string) => string;
  readonly until: (to: string) => string;
  readonly months: (months: string) => string;
  readonly or: string;
  readonly none: string;
  readonly change: (percent: string) => string;
  readonly share: (percent: string) => string;
  readonly extremes: (label: string, highest: string, lowest: string) => string;
  readonly mean: (label: string, mean: string, median: string) => string;
  readonly rise: (when: string, percent: string) => string;
  readonly fall: (when: string, percent: string) => string;
  readonly largest: (what: string, name: string, value: string, share: string) => string;
  readonly more: (rows: string) => string;
  readonly nothing: (scope: string) => string;
  readonly reportAt: (path: string) => string;
  readonly failed: (what: string, why: string) => string;
  readonly what: {
    readonly look: string;
    readonly lookUp: string;
    readonly query: string;
    readonly statistics: string;
    readonly chart: string;
    readonly report: string;
  };
  readonly unfinished: string;
  readonly statuses: (column: string, values: string) => string;
  readonly dateUsed: (column: string) => string;
  readonly headings: { readonly findings: string; readonly figures: string; readonly notes: string };
  readonly problem: { readonly [kind in Problem["kind"]]: (text: string) => string };
  readonly tables: string;
  readonly table: (name: string, rows: string, columns: string) => string;
  readonly noTables: string;
  readonly moreTables: (count: string) => string;
  readonly ask: string;
  readonly noTool: (name: string) => string;
};

export function wordsFor(language: Language): Words {
  return language === "zh" ? ZH : EN;
}
