import { elapsed } from "../../../src/core/base/time.ts";
import { append } from "../facts.ts";
import { closeCalls } from "./calls.ts";
import { makeMessage, type AgentContext, type Change, type Outcome } from "../context.ts";
import type { CallRecord } from "../call-record.ts";
import { LIMIT_TABLE, LIMITS, portionOf, type Limits } from "../limits.ts";
import { addLimits } from "./record.ts";
import type { BreakOutcome } from "../services.ts";
import { overBudgetResult } from "../../../src/core/tool/results.ts";

/** The amount of a limit that the turn has used. */
export function usedOf({ progress, at }: AgentContext, name: keyof Limits): number {
  const { stats } = progress;
  const { modelCalls, toolCalls, usage } = stats;
  return LIMIT_TABLE[name].used({ modelCalls, toolCalls, usage, durationMs: elapsed(stats.startedAt, at) });
}

function limitOf({ settings, progress }: AgentContext, name: keyof Limits): number {
  return (settings.budget[name] ?? Number.POSITIVE_INFINITY) + (progress.extended[name] ?? 0);
}

function isUsedUp(context: AgentContext, name: keyof Limits): boolean {
  const limit = limitOf(context, name);
  return limit !== Number.POSITIVE_INFINITY && usedOf(context, name) >= limit;
}

/** The limit that forbids another model call; `toolCalls` does not apply to it. */
export function exceededByModel(context: AgentContext): keyof Limits | undefined {
  return LIMITS.find((name) => name !== "toolCalls" && isUsedUp(context, name));
}

/** The limit that forbids running the approved calls of the batch. */
export function exceededByTools(context: AgentContext): keyof Limits | undefined {
  const starting = context.calls.filter(({ status }) => status === "approved").length;
  if (starting === 0) return undefined;
  const limit = limitOf(context, "toolCalls");
  const isBeyond = limit !== Number.POSITIVE_INFINITY && usedOf(context, "toolCalls") + starting > limit;
  if (isBeyond) return "toolCalls";
  return LIMITS.find((name) => name !== "toolCalls" && name !== "modelCalls" && isUsedUp(context, name));
}

function overBudget(context: AgentContext, name: keyof Limits): Outcome {
  const reason = "BUDGET_EXCEEDED";
  const limit = { name, allowed: limitOf(context, name), used: usedOf(context, name) };
  const text = `Budget exceeded: ${name} ${limit.used} of ${limit.allowed}.`;
  return { reason, reply: { ...makeMessage(context, "assistant", [{ type: "text", text }]), reason }, limit };
}

function whichOf(context: AgentContext): keyof Limits {
  return exceededByModel(context) ?? exceededByTools(context) ?? "toolCalls";
}

/** Suspends the turn until the budget is extended. */
export function suspendForBudget(context: AgentContext): Change {
  const name = exceededByTools(context) ?? whichOf(context);
  return {
    outcome: overBudget(context, name),
    progress: { ...context.progress, made: context.progress.made + 1, exceeded: name },
  };
}

/** Suspends the turn before its next request, for a breakpoint that holds. */
export function suspendAtBreakpoint(context: AgentContext, { reason: text = "" }: BreakOutcome): Change {
  const reason = "BREAKPOINT";
  const reply = { ...makeMessage(context, "assistant", [{ type: "text", text }]), reason } as const;
  const progress = { ...context.progress, made: context.progress.made + 1, exceeded: "breakpoint" } as const;
  return { outcome: { reason, reply }, progress };
}

/** Ends the turn: open calls are answered and the reason is stored. */
export function stopForBudget(context: AgentContext): Change {
  const name = exceededByTools(context) ?? whichOf(context);
  const closed = closeCalls(context, ({ call }) => overBudgetResult(call, name));
  const outcome = overBudget(closed, name);
  return {
    ...closed,
    ...append(closed, [outcome.reply!]),
    progress: { ...closed.progress, made: closed.progress.made + 1, continues: false },
    outcome,
  };
}

export function extendBudget(
  context: AgentContext,
  event: { readonly at: number; readonly extra: Limits },
): Change {
  const extended = addLimits(context.progress.extended, event.extra);
  return { at: event.at, progress: { ...context.progress, extended } };
}

/** The amount of a limit that the calls of the open batch have used so far, themselves and the agents inside of them. */
function usedInBatch({ calls }: AgentContext, name: keyof Limits): number {
  return calls.reduce((sum, { spent, attempt }) => {
    const { modelCalls = 0, toolCalls = 0, usage = {} } = spent ?? {};
    return sum + LIMIT_TABLE[name].used({ modelCalls, toolCalls: attempt + toolCalls, usage, durationMs: 0 });
  }, 0);
}

/** Returns the limits of the agent inside of one call. They are an equal share of what was left of each limit when the batch began,
 *  whatever its calls have used since. `isSharing` says which calls of the batch have an agent inside. */
export function shareOfBudget(
  context: AgentContext,
  callId: string,
  isSharing: (record: CallRecord) => boolean,
): Limits {
  const sharing = context.calls.filter((record) => record.call.id === callId || isSharing(record));
  const place = sharing.findIndex(({ call }) => call.id === callId);
  const shares = LIMITS.flatMap((name) => {
    const extended = context.calls.reduce((sum, { spent }) => sum + (spent?.extended?.[name] ?? 0), 0);
    const own = name === "toolCalls" ? context.calls.length : 0;
    const left =
      limitOf(context, name) - extended - (usedOf(context, name) - usedInBatch(context, name)) - own;
    return Number.isFinite(left) ? [[name, portionOf(name, Math.max(0, left), sharing.length, place)]] : [];
  });
  return Object.fromEntries(shares) as Limits;
}
