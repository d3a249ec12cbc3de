import { configError } from "../../core/base/error.ts";
import { check } from "../../core/base/options.ts";
import type { Breakpoint } from "../../core/tool/breakpoint.ts";
import { breakpoints } from "../../core/tool/breakpoints.ts";
import { slotValue } from "../../core/tool/slot.ts";
import type { Slot } from "../../core/tool/types.ts";
import type { FoundBreak } from "../../agent/breakpoints/find.ts";
import type { SessionStore } from "../../store/port.ts";
import { storeSchema } from "../../store/store-schema.ts";

export { breakpoints };
export type { ArgumentTest, Breakpoint } from "../../core/tool/breakpoint.ts";
export type { FoundBreak };

/**
 * Returns the calls and requests of a stored session before which these breakpoints would have stopped, in order. Of calls they are those that ran or were asked about. The
 * session need not have had the breakpoints; they are judged as in a live one. It takes no lease. Rejects `config/invalid` for conditions
 * that the slot would not take or that name nothing of the chart, `session/not-found` for an unknown id, and `session/damaged` and `session/version` for a journal that cannot be read.
 *
 * @example
 * ```ts
 * import { findBreaks } from "agentchart/inspect";
 * import { fileStore } from "agentchart/store/file";
 *
 * const thrice = [{ tool: "*", same: 3 }];
 * for (const { tool, seq } of await findBreaks(fileStore({ dir: "./sessions" }), "trip", thrice))
 *   console.log(`${tool!} for the third time, at ${seq}`);
 * ```
 */
export async function findBreaks(
  store: SessionStore,
  sessionId: string,
  conditions: readonly Breakpoint[],
): Promise<readonly FoundBreak[]> {
  check(storeSchema(), store, "findBreaks: store");
  const taken = slotValue(breakpoints as Slot, conditions);
  if ("problem" in taken) throw configError(`findBreaks: the list of breakpoints ${taken.problem}.`);
  const reader = await import("../../agent/breakpoints/find.ts");
  return reader.findBreaks(store, sessionId, conditions);
}
