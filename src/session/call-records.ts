import type { CallRecord } from "../../machines/agent/context.ts";
import type { CallChange } from "./entry.ts";

/** Returns the records of the open calls after an entry about one of them; undefined if that call was never opened. */
export function recordsAfter(
  calls: readonly CallRecord[],
  { id, set, unset = [], call }: CallChange,
): readonly CallRecord[] | undefined {
  const old = calls.find((record) => record.call.id === id);
  if (!old && !call) return undefined;
  const kept = Object.entries(old ?? {}).filter(([key]) => !unset.includes(key));
  const record = { ...Object.fromEntries(kept), ...(call && { call }), ...set } as CallRecord;
  return old ? calls.map((each) => (each === old ? record : each)) : [...calls, record];
}
