import type { AgentContext, Progress, TurnStats } from "../context.ts";
import { LIMITS, type Limits } from "../limits.ts";
import type { Spent } from "../call-record.ts";
import { addUsage } from "../../../src/core/message/usage.ts";

/** Adds amounts to limits. */
export function addLimits(limits: Limits, extra: Limits): Limits {
  const sums = LIMITS.flatMap((name) => {
    const more = extra[name];
    return more === undefined ? [] : [[name, (limits[name] ?? 0) + more] as const];
  });
  return { ...limits, ...Object.fromEntries(sums) };
}

/** The counters of the turn with what an agent inside of a call has used. */
export function withSpent(progress: Progress, { modelCalls, toolCalls, usage, extended }: Spent): Progress {
  const { stats } = progress;
  return {
    ...progress,
    stats: {
      ...stats,
      modelCalls: stats.modelCalls + modelCalls,
      toolCalls: stats.toolCalls + toolCalls,
      usage: addUsage(stats.usage, usage),
    },
    ...(extended && { extended: addLimits(progress.extended, extended) }),
  };
}

/** Returns the usage of the turn, with the usage of the agents that wait inside of its calls. */
export function statsWithWaiting({ progress, calls }: Pick<AgentContext, "progress" | "calls">): TurnStats {
  return calls.reduce(
    (now, { resume, stored }) => (resume?.spent && !stored ? withSpent(now, resume.spent) : now),
    progress,
  ).stats;
}
