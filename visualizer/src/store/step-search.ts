import { configurationName, type ChartIndex } from "../logic/chart-index.ts";
import { isFailure } from "../logic/step-notes.ts";
import { titleOf, type StepTitle } from "../logic/step-title.ts";
import type { RunData } from "./run-data.ts";
import { workLog } from "./work-log.ts";
import { t } from "../words/t.ts";

/** The sorts of steps, to choose from. */
export const STEP_SORTS = {
  failed: "failed",
  model: "model",
  tool: "tools",
  hooks: "hooks",
  person: t("by a person"),
} as const;
/** The sort of a step. */
export type StepSort = keyof typeof STEP_SORTS;

/** The query for steps: all words of the text, and the sort of the steps; "" for anything. */
export type StepQuery = { readonly kind: "search"; readonly text: string; readonly sort: StepSort | "" };

type Search = {
  readonly key: string;
  readonly index: ChartIndex | undefined;
  readonly from: number;
  next: number;
  found: readonly number[];
};
const searches = new WeakMap<RunData, Search>();

/**
 * The steps that have all words of the query in what is shown of them, their event, their states or what they changed. Each step
 * is read once for a query, so that a run that grows costs as much as its new steps. Steps before a gap are not searched.
 */
export function foundSteps(
  run: RunData,
  index: ChartIndex | undefined,
  { text, sort }: StepQuery,
): readonly number[] {
  const key = JSON.stringify([text, sort]);
  const from = searchedFrom(run);
  let search = searches.get(run);
  if (search?.key !== key || search.index !== index || search.from !== from) {
    search = { key, index, from, next: from, found: [] };
    searches.set(run, search);
  }
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const more: number[] = [];
  for (; search.next <= run.last; search.next++)
    if (isFound(run, index, search.next, words, sort)) more.push(search.next);
  if (more.length > 0) search.found = [...search.found, ...more];
  return search.found;
}

/** The first step that is searched: all from it to the newest are loaded. */
export const searchedFrom = (run: RunData): number => Math.max(run.wholeFrom, run.first);

function isFound(
  run: RunData,
  index: ChartIndex | undefined,
  stepNumber: number,
  words: readonly string[],
  sort: StepQuery["sort"],
): boolean {
  const step = run.at(stepNumber);
  if (!step) return false;
  const log = workLog(run, index);
  const { title, note, kind, isFailed } = titleOf(step, log.endedAt(stepNumber), log.begunAt(stepNumber));
  if (sort !== "" && !isOf(sort, kind, isFailed || isFailure(step))) return false;
  if (words.length === 0) return true;
  const { event, payload, patch, by, actions } = step;
  const states = configurationName(run.statesAt(stepNumber));
  const changed = JSON.stringify([payload, by, actions, patch]);
  const text = `${title} ${note} ${event} ${states} ${changed}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function isOf(sort: StepSort, kind: StepTitle["kind"], isFailed: boolean): boolean {
  return sort === "failed" ? isFailed : kind === sort;
}
