import { elapsed } from "../../../src/base/elapsed.ts";
import type { Msg } from "../../../src/message/types.ts";
import { closeCalls } from "./calls.ts";
import type { AgentContext, Change, Limits } from "../context.ts";
import { makeMessage } from "./messages.ts";
import { overBudgetResult } from "../../../src/tool/results.ts";

const LIMITS = [
  "modelCalls",
  "toolCalls",
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "cost",
  "wallMs",
] as const satisfies readonly (keyof Limits)[];

/** The amounts that the turn has used. Unknown costs and tokens count as 0. */
export function usedOf({ progress, at }: AgentContext): Required<Limits> {
  const { stats } = progress;
  const { inputTokens = 0, outputTokens = 0, cost = 0 } = stats.usage;
  return {
    modelCalls: stats.modelCalls,
    toolCalls: stats.toolCalls,
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cost,
    wallMs: elapsed(stats.startedAt, at),
  };
}

function limitOf({ settings, progress }: AgentContext, name: keyof Limits): number {
  return (settings.budget[name] ?? Number.POSITIVE_INFINITY) + (progress.extended[name] ?? 0);
}

/** The limit that forbids another model call; `toolCalls` does not apply to it. */
export function exceededByModel(context: AgentContext): keyof Limits | undefined {
  const used = usedOf(context);
  return LIMITS.find((name) => name !== "toolCalls" && used[name] >= limitOf(context, name));
}

/** The limit that forbids running the approved calls of the batch. */
export function exceededByTools(context: AgentContext): keyof Limits | undefined {
  const used = usedOf(context);
  const starting = context.calls.filter(({ status }) => status === "approved").length;
  if (starting === 0) return undefined;
  if (used.toolCalls + starting > limitOf(context, "toolCalls")) return "toolCalls";
  return LIMITS.find(
    (name) => name !== "toolCalls" && name !== "modelCalls" && used[name] >= limitOf(context, name),
  );
}

function overBudget(context: AgentContext, name: keyof Limits): Msg {
  const text = `Budget exceeded: ${name} ${usedOf(context)[name]} of ${limitOf(context, name)}.`;
  return { ...makeMessage(context, "assistant", [{ type: "text", text }]), reason: "BUDGET_EXCEEDED" };
}

function whichOf(context: AgentContext): keyof Limits {
  return exceededByModel(context) ?? exceededByTools(context) ?? "toolCalls";
}

/** Suspends the turn until the budget is extended. */
export function suspendForBudget(context: AgentContext): Change {
  const name = exceededByTools(context) ?? whichOf(context);
  return {
    outcome: { reason: "BUDGET_EXCEEDED", reply: overBudget(context, name) },
    progress: { ...context.progress, made: context.progress.made + 1, exceeded: name },
  };
}

/** Ends the turn: open calls are answered and the reason is stored. */
export function stopForBudget(context: AgentContext): Change {
  const name = exceededByTools(context) ?? whichOf(context);
  const closed = closeCalls(context, ({ call }) => overBudgetResult(call, name));
  const reply = overBudget(closed, name);
  return {
    ...closed,
    transcript: closed.transcript.append([reply]),
    progress: { ...closed.progress, made: closed.progress.made + 1, continues: false },
    outcome: { reason: "BUDGET_EXCEEDED", reply },
  };
}

export function extendBudget(
  context: AgentContext,
  event: { readonly at: number; readonly extra: Limits },
): Change {
  const { extended } = context.progress;
  const sums = LIMITS.flatMap((name) => {
    const extra = event.extra[name];
    return extra === undefined ? [] : [[name, (extended[name] ?? 0) + extra] as const];
  });
  return {
    at: event.at,
    progress: { ...context.progress, extended: { ...extended, ...Object.fromEntries(sums) } },
  };
}
