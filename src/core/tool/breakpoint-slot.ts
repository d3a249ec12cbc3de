import { storedSlot, type StoredSlots } from "./stored-slots.ts";

/** The name of the slot in which a session has its breakpoints. */
export const BREAKPOINTS = "tools.breakpoints";

/** True if the session has breakpoints. */
export function hasBreakpoints(slots: StoredSlots): boolean {
  const value = storedSlot(slots, BREAKPOINTS)?.value;
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
