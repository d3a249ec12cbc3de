import type { CallRecord } from "../../machines/agent/call-record.ts";
import type { Block, Msg, ToolResultBlock, ToolUseBlock } from "../core/message/types.ts";
import { recoveredResult, suspendedResult } from "../core/tool/results.ts";
import type { CallChange, ResultRef } from "./entry.ts";

/** Returns the calls for which the messages of an entry ask. The messages may be damaged: they are checked as a whole later. */
export function callsAskedIn(messages: readonly (Msg | ResultRef)[]): readonly ToolUseBlock[] {
  return messages.flatMap((message) => {
    const blocks: readonly (Block | null)[] =
      "content" in message && Array.isArray(message.content) ? message.content : [];
    return blocks.filter((block) => block?.type === "tool_use");
  });
}

/** The fields that an entry which opens a call leaves out if they have these values. */
export const AS_OPENED = { hooked: false, stored: false } as const;

/** Returns the records of the open calls after an entry about one of them; undefined if that call was never opened. `asked` are the
 *  calls for which the entry with messages before it asks. */
export function recordsAfter(
  calls: readonly CallRecord[],
  { id, set, unset = [], call: changed }: CallChange,
  asked: readonly ToolUseBlock[],
): readonly CallRecord[] | undefined {
  const old = calls.find((record) => record.call.id === id);
  const call = changed ?? (old ? undefined : asked.find((each) => each.id === id));
  if (!old && !call) return undefined;
  const kept = Object.entries(old ?? AS_OPENED).filter(([key]) => !unset.includes(key));
  const record = { ...Object.fromEntries(kept), ...(call && { call }), ...set } as CallRecord;
  if (old) return calls.map((each) => (each === old ? record : each));
  const at = ({ call: of }: CallRecord): number => asked.findIndex((each) => each.id === of.id);
  return [...calls, record].toSorted((a, b) => at(a) - at(b));
}

/** The record of a call that waits from now on, although it was not running: for an approval, or for a result from elsewhere. */
export function beginsToWait(
  old: CallRecord | undefined,
  current: CallRecord | undefined,
): CallRecord | undefined {
  if (!current || current.result) return undefined;
  const isAsked = current.asks !== undefined && old?.asks === undefined && current.status === "pending";
  const isSuspended = current.status === "suspended" && old?.status !== "suspended";
  return isAsked || isSuspended ? current : undefined;
}

/** The result of a call that waits without having run. */
export function waitingResult({ call, reason, asks }: CallRecord): ToolResultBlock {
  return suspendedResult(call, reason ?? asks);
}

/** The result of an attempt that has ended without one: its outcome is unknown, or the call waits. */
export function unfinishedResult(call: ToolUseBlock, { status, reason }: CallRecord): ToolResultBlock {
  return status === "unknown" ? recoveredResult(call) : suspendedResult(call, reason);
}
