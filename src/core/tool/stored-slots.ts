import { isObject, type Json } from "../base/json.ts";

/** The value of a slot as the session holds it. */
export type StoredSlot = {
  readonly value: Json;
  /** The version of the slot that wrote it. */
  readonly version: number;
  /** The number of writes so far, from 1. */
  readonly revision: number;
};

/** The slots of a session, by name. A slot that was never written is not among them. */
export type StoredSlots = { readonly [name: string]: StoredSlot };

/** The stored state of a slot; undefined if it was never written. */
export function storedSlot(stored: StoredSlots, name: string): StoredSlot | undefined {
  return Object.hasOwn(stored, name) ? stored[name] : undefined;
}

/** The number of writes of a slot. */
export function revisionOf(stored: StoredSlots, name: string): number {
  return storedSlot(stored, name)?.revision ?? 0;
}

/** The name of the slot in which a session has its breakpoints. */
export const BREAKPOINTS = "tools.breakpoints";

/** True if the session has breakpoints. */
export function hasBreakpoints(slots: StoredSlots): boolean {
  const value = storedSlot(slots, BREAKPOINTS)?.value;
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** True if one of the session's breakpoints is not about a call: it may hold before a request to the model. */
export function mayHoldRequests(slots: StoredSlots): boolean {
  const value = storedSlot(slots, BREAKPOINTS)?.value;
  return Array.isArray(value) && value.some(isAboutSession);
}

/** True for a breakpoint that names nothing of a call. */
export function isAboutSession(breakpoint: unknown): boolean {
  return isObject(breakpoint) && ABOUT_CALLS.every((field) => !Object.hasOwn(breakpoint, field));
}
const ABOUT_CALLS = ["tool", "where", "same"] as const;

/** The name of the slot in which a fork has the session whose recorded results its tools repeat. */
export const REPEATS = "tools.repeats";

/** The key under which a configuration says which session its tools repeat. No label says it: a worker takes over the labels of a session, and
 *  its tools are others. */
export const REPEATING: unique symbol = Symbol("repeats");

/** The session whose recorded results a fork repeats; undefined if its tools really run. */
export function repeatedSession(slots: StoredSlots): Json | undefined {
  return storedSlot(slots, REPEATS)?.value;
}
