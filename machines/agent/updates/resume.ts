import { errorResult } from "../../../src/tool/results.ts";
import { updateCall } from "./calls.ts";
import type { AgentContext, CallRecord, Change } from "../context.ts";
import type { Decision } from "../../../src/tool/pending.ts";

/** After a restore nothing runs: a call that was in flight is repeated, answered or asked about, as its tool says (I5). */
export function reviveCalls(context: AgentContext): AgentContext {
  const calls = context.calls.map((record): CallRecord => {
    if (record.status !== "running") return record;
    const { deadlineAt: _, spawned: __, ...rest } = record;
    if (record.onRestart === "retry") return { ...rest, status: "approved", since: context.at };
    if (record.onRestart === "fail") {
      const text = `[ERROR] The outcome of the tool call is unknown: its process ended while it ran. Tool: ${record.call.name}`;
      return { ...rest, status: "done", result: errorResult(record.call, "tool/outcome-unknown", text) };
    }
    return { ...rest, status: "unknown", since: context.at };
  });
  return { ...context, calls };
}

/** True for a call that no result, no permission and no attempt has settled yet. */
function mayDecide({ status, stored, result }: CallRecord): boolean {
  const isOpen = status === "pending" || status === "suspended" || status === "unknown";
  return isOpen && !stored && result === undefined;
}

/** A decision is recorded; nothing runs. */
export function decideCall(
  context: AgentContext,
  event: { readonly at: number; readonly callId: string; readonly decision: Decision },
): Change {
  const { at, callId, decision } = event;
  const record = context.calls.find(({ call }) => call.id === callId);
  if (!record || !mayDecide(record)) return { at, refused: { type: "tool.decide", at } };
  return { at, calls: updateCall(context.calls, callId, { decided: decision }) };
}
