import { callIn } from "../../../src/inspect/protocol/prompt-lens.ts";
import type { Step } from "../wire/step.ts";
import type { JsonObject, RecordedCall } from "../wire/types.ts";
import { messagesOf } from "./step-notes.ts";

/** A request to a model, and a step whose context has it. */
export type PromptPlace = { readonly call: RecordedCall; readonly at: number };

/** The source from which the steps of a run and their contexts are read. */
type Steps = {
  readonly first: number;
  readonly last: number;
  at(stepNumber: number): Step | undefined;
  contextAt(stepNumber: number): JsonObject | undefined;
};

/** Returns the request that a step is about: the one that it ended, else the newest one up to it. `hasEnded` says whether a request ended
 *  in the step. Undefined if none is recorded. */
export function promptAt(run: Steps, stepNumber: number, hasEnded: boolean): PromptPlace | undefined {
  const now = callIn(run.contextAt(stepNumber));
  const before = callIn(run.contextAt(stepNumber - 1));
  const step = run.at(stepNumber);
  const isOver = hasEnded || (step && messagesOf(step).some(({ id }) => id === before?.id));
  if (before && isOver && before.id !== now?.id) return { call: before, at: stepNumber - 1 };
  return now && { call: now, at: stepNumber };
}

const setsCall = (step: Step | undefined): boolean =>
  step?.patch.some(([, path]) => path.length === 0 || path[0] === "modelCall") ?? false;

/** Returns the nearest step before (-1) or after (1) a place that has another request. It is undefined if there is no such step, or the
 *  steps between are not loaded. */
export function otherPrompt(run: Steps, { call, at }: PromptPlace, by: -1 | 1): PromptPlace | undefined {
  for (let number = at + by; number >= run.first && number <= run.last; number += by) {
    if (!run.at(number)) return undefined;
    if (!setsCall(run.at(by === 1 ? number : number + 1))) continue;
    const other = callIn(run.contextAt(number));
    if (other && other.id !== call.id) return { call: other, at: number };
  }
  return undefined;
}
