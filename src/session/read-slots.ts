import type { Json } from "../base/json.ts";
import type { StoredSlots } from "../tool/stored-slots.ts";
import type { Moment } from "./open-session.ts";

/** The slots of a session that were written, by their names, and how often each was. */
export type WrittenSlots = {
  readonly [name: string]: { readonly value: Json; readonly revision: number };
};

/** Reads the slots of a stored session. */
export function readSlots({ context }: Moment): WrittenSlots {
  const stored = (context["slots"] ?? {}) as StoredSlots;
  return Object.fromEntries(
    Object.entries(stored).map(([name, { value, revision }]) => [name, { value, revision }]),
  );
}
