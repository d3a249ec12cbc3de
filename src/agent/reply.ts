import { elapsed } from "../base/elapsed.ts";
import { finishReasonOf, textOf } from "../message/query.ts";
import { sourcesOf } from "../message/sources.ts";
import type { Msg } from "../message/types.ts";
import { exceededByModel, exceededByTools } from "../../machines/agent/updates/budget.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import { recoveryOf, suspendTurn } from "../../machines/agent/updates/ending.ts";
import type { PendingCall, WaitsFor } from "../tool/pending.ts";
import type { Reply } from "./types.ts";

/** Returns what a session at rest waits for. */
export function waitsFor(context: AgentContext): readonly WaitsFor[] {
  if (context.progress.exceeded !== null) return ["budget"];
  return [...new Set(pendingCalls(context).map((call) => call.waitsFor))];
}

/** Returns the calls that wait for an answer or a decision; none while the turn waits for its budget. */
export function openPending(context: AgentContext): readonly PendingCall[] {
  return context.progress.exceeded === null ? pendingCalls(context) : [];
}

/** Returns the epoch ms at which a suspended turn can go on without further input: 0 if every call is decided or answered, else when the last
 *  open approval expires. Undefined if it needs input. */
export function resumableAt(context: AgentContext): number | undefined {
  const { exceeded, restedAt } = context.progress;
  if (exceeded !== null) {
    const rested = { ...context, at: restedAt ?? context.at };
    return (exceededByTools(rested) ?? exceededByModel(rested)) === undefined ? 0 : undefined;
  }
  const pending = pendingCalls(context);
  if (pending.length === 0) return 0;
  const times = pending.map((call) => (call.decided ? 0 : (call.expiresAt ?? Infinity)));
  const at = Math.max(...times);
  return Number.isFinite(at) ? at : undefined;
}

/** Returns the message of the reply: the one of the turn, or a new one after a restore. */
function messageOf(context: AgentContext): Msg {
  const { outcome, transcript } = context;
  if (outcome?.reply) return outcome.reply;
  const last = transcript.at(-1);
  if (outcome?.reason === "INTERRUPTED" && last?.reason !== "INTERRUPTED") return recoveryOf(context);
  const restored =
    outcome && context.calls.length > 0 ? suspendTurn(context, outcome.reason).outcome?.reply : undefined;
  return restored ?? last!;
}

/** Returns the reply of the turn that has just ended or was suspended. */
export function replyOf(context: AgentContext, output: unknown): Reply<never> {
  const message = messageOf(context);
  const { progress, at, outcome } = context;
  const { iterations, modelCalls, toolCalls, usage, startedAt } = progress.stats;
  const finishReason = finishReasonOf(message);
  return {
    ...message,
    ...(finishReason && { finishReason }),
    reason: outcome!.reason,
    text: textOf(message),
    output: output as never,
    pending: openPending(context),
    sources: sourcesOf(context.transcript.slice(progress.turnAt)),
    turn: { usage, iterations, modelCalls, toolCalls, durationMs: elapsed(startedAt, at) },
  };
}

/** Returns the reply as a plain message, for events. */
export function plainReply(context: AgentContext): Msg {
  return { ...messageOf(context), reason: context.outcome!.reason };
}
