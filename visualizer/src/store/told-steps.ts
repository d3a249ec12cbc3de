import { isInternal } from "../logic/step-title.ts";
import type { ChartIndex } from "../logic/chart-index.ts";
import type { RunData } from "./run-data.ts";
import { workLog, type WorkLog } from "./work-log.ts";

type Told = { next: number; readonly steps: number[] };
const known = new WeakMap<WorkLog, Told>();

/** The steps of a run in which its agent did something: all but those of the engine alone. Each step is judged once. */
export function toldSteps(run: RunData, index: ChartIndex | undefined): readonly number[] {
  const log = workLog(run, index);
  const of = known.get(log);
  const told: Told = of && (of.steps[0] ?? run.first) >= run.first ? of : { next: run.first, steps: [] };
  known.set(log, told);
  for (; told.next <= run.last; told.next++) {
    const step = run.at(told.next);
    if (!step || !isInternal(step, log.endedAt(told.next), log.begunAt(told.next)))
      told.steps.push(told.next);
  }
  return told.steps;
}

/** Adds the displayed step to ascending steps, if it is not among them. */
export function withStep(steps: readonly number[], step: number): readonly number[] {
  const at = steps.findLastIndex((each) => each <= step);
  if (step <= 0 || steps[at] === step) return [...steps];
  return steps.toSpliced(at + 1, 0, step);
}
