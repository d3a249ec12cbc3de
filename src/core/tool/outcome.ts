import { jsonProblem, isObject } from "../base/json.ts";
import { outputProblem } from "../message/validate.ts";

/** Returns why a value is not a `ToolOutcome`; undefined if it is one. */
export function outcomeProblem(value: unknown): string | undefined {
  if (!isObject(value)) return "it is not an object";
  const { output, state, metadata } = value;
  if (state !== undefined && state !== "success" && state !== "error")
    return `state: expected "success" or "error", got ${JSON.stringify(state)}`;
  if (metadata !== undefined && !isObject(metadata)) return "metadata: expected an object";
  const unfit = jsonProblem(metadata);
  return unfit === undefined ? outputProblem(output) : `its metadata ${unfit}`;
}
