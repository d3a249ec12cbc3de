import type { Msg } from "../../../src/core/message/types.ts";
import { changeCalls, writeSlots } from "../facts.ts";
import type { AgentContext, Change } from "../context.ts";
import { revisionOf, type StoredSlots } from "../../../src/core/tool/stored-slots.ts";
import type { AgentCommand, Cause } from "../events.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { restoreRedacted } from "../../../src/core/base/secrets.ts";
import { addressIn, recordAt, withAnswer, withDecision } from "./record.ts";
import type { Decision } from "../../../src/core/tool/pending.ts";

/** Adds a message for the next model call of the turn. */
export function steer(
  { inbox }: AgentContext,
  event: { readonly at: number; readonly message: Msg },
): Change {
  return { at: event.at, inbox: { ...inbox, steering: [...inbox.steering, event.message] } };
}

/** Adds messages without starting a turn. */
export function observe(
  { inbox }: AgentContext,
  event: { readonly at: number; readonly messages: readonly Msg[] },
): Change {
  return { at: event.at, inbox: { ...inbox, queued: [...inbox.queued, ...event.messages] } };
}

type Write = Extract<AgentCommand, { readonly type: "slot.write" }>;

/** The slots with what a tool or hooks have written. A write that does not follow the newest revision is left out: the slot was
 *  changed from outside after the writer had read it. */
export function takeWrites(context: AgentContext, written: StoredSlots = {}): Change {
  const fitting = Object.entries(written).filter(
    ([name, { revision }]) => revision === revisionOf(context.slots, name) + 1,
  );
  return writeSlots(context, fitting);
}

/** Writes a slot from outside. */
export function writeSlot(context: AgentContext, { at, name, value, version }: Write): Change {
  const revision = revisionOf(context.slots, name) + 1;
  return { at, ...writeSlots(context, [[name, { value, version, revision }]]) };
}

/** True if the slot has another revision than the write was made for. */
export function isStaleWrite({ slots }: AgentContext, { name, seen }: Write): boolean {
  return seen !== undefined && seen !== revisionOf(slots, name);
}

/** True if a call that may write the slot is running. */
export function isBeingWritten({ calls }: AgentContext, { name }: Write): boolean {
  return calls.some(({ status, writes }) => status === "running" && writes?.includes(name));
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
