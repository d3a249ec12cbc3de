import type { JsonObject } from "../../../src/core/base/json.ts";
import { restoreRedacted } from "../../../src/core/base/secrets.ts";
import { errorResult } from "../../../src/core/tool/results.ts";
import type { AgentContext, Change } from "../context.ts";
import type { Cause } from "../events.ts";
import { changeCalls } from "../facts.ts";
import { answered, withDecision, withFailedAttempt } from "./account.ts";
import { addressIn, recordAt, withAnswer } from "./asks.ts";
import type { Decision } from "../../../src/core/tool/pending.ts";

/** After a restore nothing runs: a call that was running is repeated, answered or asked about, as its tool declares (I5). */
export function reviveCalls(context: AgentContext): AgentContext {
  const { process } = context.progress;
  const revived = changeCalls(context, (record) => {
    if (record.status !== "running") return record;
    const { deadlineAt: _, spawned: __, ...others } = record;
    const rest = { ...others, account: withFailedAttempt(record, process) };
    if (record.onRestart === "retry") return { ...rest, status: "approved", since: context.at };
    if (record.onRestart === "fail") {
      const text = `[ERROR] The outcome of the tool call is unknown: its process ended while it ran. Tool: ${record.call.name}`;
      return answered({ ...rest, status: "done" }, errorResult(record.call, "tool/outcome-unknown", text));
    }
    return { ...rest, status: "unknown", since: context.at };
  });
  return { ...context, ...revived };
}

/** Records a decision, and who made it; nothing runs. What a person saw redacted in the arguments and left so is unchanged. */
export function decideCall(
  context: AgentContext,
  event: {
    readonly at: number;
    readonly callId: string;
    readonly decision: Decision;
    readonly decidedBy?: string;
    readonly madeAt?: number;
    readonly by?: Cause;
  },
): Change {
  const { at, decision, decidedBy, madeAt = at, by: via } = event;
  const made = { at: madeAt, ...(decidedBy !== undefined && { by: decidedBy }), ...(via && { via }) };
  const address = addressIn(context, event.callId);
  const decidedRecord = recordAt(context, address);
  const changed = changeCalls(context, (record) => {
    if (record !== decidedRecord) return record;
    if (record.call.id !== address) {
      const ask = address.slice(record.call.id.length + 1);
      const account = withDecision(record.account, decision, { ...made, ask });
      return withAnswer({ ...record, account }, address, {
        decided: decision,
        ...(decidedBy !== undefined && { decidedBy }),
      });
    }
    const { decidedBy: _, ...rest } = record;
    const decided = withSecrets(decision, record.call.input);
    const account = withDecision(record.account, decision, made);
    return { ...rest, account, decided, ...(decidedBy !== undefined && { decidedBy }) };
  });
  return { at, ...changed };
}

function withSecrets(decision: Decision, input: JsonObject): Decision {
  if (typeof decision !== "object" || !("edit" in decision)) return decision;
  return { edit: restoreRedacted(decision.edit, input) };
}
