import { elapsed } from "../../core/base/elapsed.ts";
import type { ToolUseBlock } from "../../core/message/types.ts";

type Times = { readonly startedAt: number; endedAt?: number };

/** The last attempt of each call of an open batch. It goes with the call. */
const times = new WeakMap<ToolUseBlock, Times>();

/** Notes that an attempt of a call begins; only the last attempt counts. Returns a function that notes its end: undefined if it has no
 *  result, because the call waits. */
export function noteStart(call: ToolUseBlock, startedAt: number): (endedAt: number | undefined) => void {
  const noted: Times = { startedAt };
  times.set(call, noted);
  return (endedAt) => {
    if (endedAt !== undefined) noted.endedAt = endedAt;
    else if (times.get(call) === noted) times.delete(call);
  };
}

/** Returns the duration of the last attempt of a call, ms, until now if it was abandoned; undefined if the call did not run in this
 *  process. */
export function durationOf(call: ToolUseBlock, now: number): number | undefined {
  const noted = times.get(call);
  return noted && elapsed(noted.startedAt, noted.endedAt ?? now);
}
