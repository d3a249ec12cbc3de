import type { Json } from "../core/base/json.ts";
import type { SessionStore } from "../store/port.ts";
import { newestState } from "./newest-state.ts";

/** The slots of a session that were written, by their names, and how often each was. */
export type WrittenSlots = {
  readonly [name: string]: { readonly value: Json; readonly revision: number };
};

/** Reads the slots of a stored session; none if it does not exist. Throws as {@link newestState}. */
export async function readSlots(store: SessionStore, sessionId: string): Promise<WrittenSlots> {
  const found = await store.load(sessionId);
  if (!found) return {};
  const { slots } = (await newestState(store, sessionId, found)).kept;
  return Object.fromEntries(
    Object.entries(slots).map(([name, { value, revision }]) => [name, { value, revision }]),
  );
}
