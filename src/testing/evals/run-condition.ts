import type { JsonObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { textOf } from "../../core/message/msg.ts";
import type { Msg } from "../../core/message/types.ts";
import { asked, checkSuspicion, path, used } from "./judges.ts";
import type { EvalRun } from "./types.ts";

/** Something that happens in a run, as data. The model asks for a tool, a tool runs, a state is entered, an edge is taken, the user says a
 *  text, or a suspicion begins. `input` are fields of the arguments. */
export type RunCondition =
  | { readonly asked: string; readonly input?: JsonObject | undefined }
  | { readonly used: string; readonly input?: JsonObject | undefined }
  | { readonly state: string }
  | { readonly edge: string }
  | { readonly said: string }
  | { readonly suspicion: string };

const text = s.nonEmpty();
const input = s.optional(s.object<JsonObject>());

/** The schema of a {@link RunCondition}. */
export const conditionSchema = s.lazily(() =>
  s.anyOf<RunCondition>(
    [
      s.options<{ asked: string; input?: JsonObject | undefined }>({ asked: text, input }),
      s.options<{ used: string; input?: JsonObject | undefined }>({ used: text, input }),
      s.options<{ state: string }>({ state: text }),
      s.options<{ edge: string }>({ edge: text }),
      s.options<{ said: string }>({ said: text }),
      s.options<{ suspicion: string }>({ suspicion: text }),
    ],
    "a condition: { asked }, { used }, { state }, { edge }, { said } or { suspicion }",
  ),
);

type Read = Pick<EvalRun, "facts" | "messages" | "steps" | "suspicions">;

/** Returns the step at which a condition first holds; undefined if it never does. Throws `config/invalid` for a state, an edge
 *  or a suspicion that there is not. */
export function firstStep(condition: RunCondition, run: Read): number | undefined {
  const whole = run as EvalRun; // what these read of a run is there
  if ("asked" in condition) return asked(condition.asked, condition.input).find(whole)[0];
  if ("used" in condition) return used(condition.used, condition.input).find(whole)[0];
  if ("state" in condition) return path.visits(condition.state).find(whole)[0];
  if ("edge" in condition) return path.takes(condition.edge).find(whole)[0];
  if ("said" in condition) {
    const wanted = condition.said.toLowerCase();
    const isIt = (message: Msg): boolean =>
      message.role === "user" &&
      message.addedBy === undefined &&
      textOf(message).toLowerCase().includes(wanted);
    const ids = new Set(run.messages.filter(isIt).map(({ id }) => id));
    return run.facts.messages.find(({ id }) => ids.has(id))?.step;
  }
  checkSuspicion(condition.suspicion);
  const steps = run.suspicions
    .filter(({ kind }) => kind === condition.suspicion)
    .map((each) => each.steps[0]!);
  return steps.length > 0 ? Math.min(...steps) : undefined;
}

/** Returns the journal position before a step; undefined for the start of the session. */
export function positionBefore(step: number, { steps }: Pick<EvalRun, "steps">): number | undefined {
  const before = steps.find((each) => each.step === step)?.before ?? 0;
  return before > 0 ? before : undefined;
}

/** Returns the number of a step if the run has it. */
export function stepOf(number: number, { steps }: Pick<EvalRun, "steps">): number | undefined {
  return steps.find(({ step }) => step === number)?.step;
}
