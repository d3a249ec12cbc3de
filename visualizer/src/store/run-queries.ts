import { isObject } from "../../../src/core/base/json.ts";
import type { Json } from "../wire/types.ts";
import type { ChartIndex } from "../logic/chart-index.ts";
import { choicesOf, pathCoverage, type Choice } from "../logic/guards.ts";
import { placeSteps } from "../map/place-filter.ts";
import type { StepFilter } from "./model.ts";
import type { RunData } from "./run-data.ts";
import { foundSteps } from "./step-search.ts";

const MAX_RANK = 3;
/** The maximum number of steps that are searched. */
const MAX_DISTANCE = 12;
/** The maximum number of steps that are searched for the beginning of a state or of a call. */
const MAX_SEARCH = 5_000;

/**
 * The edges of the step and of the three steps before it that took one, with their rank: 0 for the step itself.
 */
export function takenEdges(run: RunData, stepNumber: number): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (let at = stepNumber, rank = 0; at > stepNumber - MAX_DISTANCE && rank <= MAX_RANK; at--) {
    const step = run.at(at);
    if (!step) break;
    if (at !== stepNumber && step.edges.length === 0) continue;
    for (const id of step.edges) if (!taken.has(id)) taken.set(id, rank);
    rank++;
  }
  return taken;
}

/** The guards that a step has judged, and whether all edges between its states are recorded. */
export type StepChoices = {
  readonly choices: readonly Choice[];
  readonly coverage: ReturnType<typeof pathCoverage>;
};

/** Returns what is known of the guards of a step. */
export function choicesAt(run: RunData, index: ChartIndex, stepNumber: number): StepChoices {
  const step = run.at(stepNumber);
  if (!step) return { choices: [], coverage: "none" };
  const { event, edges: taken, actor } = step;
  const states = run.statesAt(stepNumber - 1);
  const coverage = pathCoverage(index, states, taken, run.statesAt(stepNumber));
  const before = (actor?.o ?? 0) > 0 ? [] : states;
  // without a transition a guard may have thrown, and of an agent an older release may have recorded none
  const isWhole =
    coverage === "full" && !actor?.w && (taken.length > 0 || (actor !== undefined && !actor.u && !actor.z));
  const { p: preempted = [] } = actor ?? {};
  return { choices: choicesOf(index, { event, taken, preempted, before, isWhole }), coverage };
}

/** The step that entered a state which is active after a step. */
export function enteredAt(
  run: RunData,
  index: ChartIndex | undefined,
  stepNumber: number,
  id: string,
): number {
  let at = stepNumber;
  while (
    at > run.first &&
    stepNumber - at < MAX_SEARCH &&
    run.statesAt(at - 1).includes(id) &&
    !reenters(run, index, at, id)
  )
    at--;
  return at;
}

/** True if a step left a state by an edge of its own: one without a target, or into the state, stays in it unless it reenters. */
function reenters(run: RunData, index: ChartIndex | undefined, stepNumber: number, id: string): boolean {
  const leaves = (edge: string): boolean => {
    const { reenter = true, targets = [""] } = index?.edges.get(edge) ?? {};
    return targets.some((target) => reenter || !`${target}.`.startsWith(`${id}.`));
  };
  return run.at(stepNumber)?.edges.some((edge) => edge.startsWith(`${id}|`) && leaves(edge)) ?? false;
}

/** The number of times that a state was entered, and the total time that it was active, ms. */
export type Visits = { readonly count: number; readonly ms: number; readonly isPart: boolean };

/** Counts the visits of all states; a part of them while older steps are not loaded. */
export function visitsOf(run: RunData): ReadonlyMap<string, Visits> {
  const visits = new Map<string, { count: number; ms: number; isPart: boolean }>();
  let before: readonly string[] = [];
  const isPart = run.wholeFrom > 1;
  for (let stepNumber = Math.max(run.first, run.wholeFrom); stepNumber <= run.last; stepNumber++) {
    const now = run.statesAt(stepNumber);
    const ms = run.durationOf(stepNumber) ?? 0;
    for (const id of now) {
      const known = visits.get(id) ?? { count: 0, ms: 0, isPart };
      if (!before.includes(id)) known.count++;
      known.ms += ms;
      visits.set(id, known);
    }
    before = now;
  }
  return visits;
}

/** Returns the total time that at least one of the states was active, ms. */
export function timeIn(run: RunData, ids: readonly string[]): number {
  let ms = 0;
  for (let stepNumber = run.first; stepNumber <= run.last; stepNumber++) {
    const active = run.statesAt(stepNumber);
    if (ids.some((id) => active.includes(id))) ms += run.durationOf(stepNumber) ?? 0;
  }
  return ms;
}

/** The steps that match a filter. */
export function matchingSteps(run: RunData, filter: StepFilter, index?: ChartIndex): readonly number[] {
  if (filter.kind === "search") return foundSteps(run, index, filter);
  if (filter.kind === "place") return placeSteps(run, index, filter);
  const found: number[] = [];
  for (let stepNumber = run.first; stepNumber <= run.last; stepNumber++) {
    const step = run.at(stepNumber);
    if (!step) continue;
    const isHit =
      filter.kind === "edge"
        ? step.edges.some((id) => filter.ids.includes(id))
        : filter.ids.some(
            (id) =>
              run.statesAt(stepNumber).includes(id) &&
              (!run.statesAt(stepNumber - 1).includes(id) || stepNumber === run.first),
          );
    if (isHit) found.push(stepNumber);
  }
  return found;
}

/**
 * The `by`th of these steps after a step, or before it if `by` is negative. Infinity if there are not enough
 * steps after it, the step itself if there is none before it.
 */
export function stepAmong(steps: readonly number[], stepNumber: number, by: number): number {
  if (by > 0) return steps.filter((at) => at > stepNumber)[by - 1] ?? Number.POSITIVE_INFINITY;
  const before = steps.filter((at) => at < stepNumber);
  return before[Math.max(0, before.length + by)] ?? stepNumber;
}

/** The time at which the last attempt of each call of the open batch began, epoch ms, by the call's place in the batch. */
export function callStarts(run: RunData, stepNumber: number): ReadonlyMap<number, number> {
  const starts = new Map<number, number>();
  const note = (index: Json | undefined, record: Json | undefined, time: number): void => {
    if (typeof index !== "number" || starts.has(index) || !isObject(record)) return;
    if (record["status"] === "running")
      starts.set(index, typeof record["since"] === "number" ? record["since"] : time);
  };
  for (let at = stepNumber; at > stepNumber - MAX_SEARCH; at--) {
    const step = run.at(at);
    if (!step) break;
    let isBatchStart = false;
    for (const [kind, [key, index, field], value] of step.patch) {
      if (key !== "calls") continue;
      if (index === undefined) {
        isBatchStart = kind === "=";
        if (Array.isArray(value)) value.forEach((record, place) => note(place, record, step.time));
      } else if (kind === "=" && field === undefined) note(index, value, step.time);
      else if (kind === "=" && field === "status") note(index, { status: value as Json }, step.time);
    }
    if (isBatchStart) break;
  }
  return starts;
}
