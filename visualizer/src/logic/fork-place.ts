import type { ForkStep, RunRow } from "../wire/types.ts";
import type { MarkedRun } from "./fork-marks.ts";

/** The place at which a fork at a step begins. */
export type BeforeStep = {
  /** The position in the journal; 0 if nothing is stored before the step. */
  readonly seq: number;
  /** The first step that the fork makes again. Steps that were stored together are made again together. */
  readonly stepNumber: number;
};

/** Returns where a fork at a step begins: before it. The step behind the newest one stands for the end of the run. */
export function beforeStep(
  run: Pick<MarkedRun, "last" | "at">,
  row: Pick<RunRow, "seq"> | undefined,
  stepNumber: number,
): BeforeStep {
  if (stepNumber > run.last) return { seq: row?.seq ?? 0, stepNumber: run.last + 1 };
  const seq = run.at(stepNumber)?.before ?? 0;
  let first = stepNumber;
  while (run.at(first - 1)?.before === seq) first--;
  return { seq, stepNumber: first };
}

/** Returns a step as the journal of its run knows it; undefined for the end of the run, and for one that takes no edge. */
export function asStored(run: Pick<MarkedRun, "at">, stepNumber: number): ForkStep | undefined {
  const step = run.at(stepNumber);
  if (!step || step.edges.length === 0) return undefined;
  const { time: t, edges: x } = step;
  let nth = 0;
  for (let number = stepNumber - 1; run.at(number)?.time === t; number--)
    if (run.at(number)!.edges.join() === x.join()) nth++;
  return { t, x, nth };
}
