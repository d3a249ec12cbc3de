import type { Reason } from "../core/message/types.ts";
import type { SessionPhase } from "../core/base/phase.ts";

/** The phases and reasons of a run that has an outcome. */
type Outcome = { readonly phases: readonly SessionPhase[]; readonly reasons?: readonly Reason[] };

/** The outcomes by which sessions are filtered. */
export const OUTCOMES = {
  answered: { phases: ["stopped"], reasons: ["MODEL_STOP", "STRUCTURED_OUTPUT"] },
  failed: { phases: ["stopped"], reasons: ["ERROR"] },
  working: { phases: ["running"] },
  waiting: { phases: ["suspended"] },
  interrupted: { phases: ["stopped"], reasons: ["INTERRUPTED"] },
  "out of iterations": { phases: ["stopped"], reasons: ["MAX_ITERATIONS"] },
  "over budget": { phases: ["stopped", "suspended"], reasons: ["BUDGET_EXCEEDED"] },
  "stopped by a hook": {
    phases: ["stopped"],
    reasons: ["REASONING_STOP_REQUESTED", "ACTING_STOP_REQUESTED"],
  },
  "shut down": { phases: ["stopped"], reasons: ["SHUTDOWN"] },
  unfinished: { phases: ["unfinished"] },
  quarantined: { phases: ["quarantined"] },
} as const satisfies { readonly [name: string]: Outcome };

/** One of {@link OUTCOMES}. */
export type OutcomeName = keyof typeof OUTCOMES;

/** The names of all outcomes. */
export const OUTCOME_NAMES = Object.keys(OUTCOMES) as readonly OutcomeName[];

/** Returns what a run must be in to have this outcome. */
export const outcomeNamed = (name: OutcomeName): Outcome => OUTCOMES[name];
