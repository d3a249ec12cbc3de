import type { SessionPhase } from "../../src/core/base/phase.ts";
import type { AgentContext } from "./context.ts";
import { openCalls } from "./updates/calls.ts";

/** The phase of a session: `stopped` between turns, `unfinished` in the middle of one that was cut off, `suspended` while something outside
 *  must answer, else `running`. */
export type Phase = Exclude<SessionPhase, "quarantined">;

const RESTS: { readonly [state: string]: Phase } = {
  "stopped.idle": "stopped",
  "stopped.unfinished": "unfinished",
  "suspended.waiting": "suspended",
};

/** The phase of a session in the state of the chart with this path. */
export function phaseOf(path: string): Phase {
  return RESTS[path] ?? "running";
}

/** Returns the path of a state as events and journals name it. */
export const shortPath = (path: string): string => path.replace(/\.running$/u, "");

/** The phase of a stored session that no process runs: a turn in the middle of which its journal ends is unfinished. */
export function restingPhaseOf(path: string): Exclude<Phase, "running"> {
  const phase = phaseOf(path);
  return phase === "running" ? "unfinished" : phase;
}

/** The state in which a session with this context rests once it is restored, as the edges of `session.load` lead to it. */
export function restStateOf(
  context: AgentContext,
): "stopped.idle" | "stopped.unfinished" | "suspended.waiting" {
  if (context.progress.resumeAt !== null) return "stopped.unfinished";
  const isOpen = openCalls(context).length > 0 || context.progress.exceeded !== null;
  return isOpen ? "suspended.waiting" : "stopped.idle";
}

/** True if a session at rest has no turn to go on with: none is open, or the last one has its outcome already. */
export function isBetweenTurns(context: AgentContext): boolean {
  const { progress } = context;
  const resumeAt = progress.resumeAt === "ending" ? null : progress.resumeAt;
  return restStateOf({ ...context, progress: { ...progress, resumeAt } }) === "stopped.idle";
}
