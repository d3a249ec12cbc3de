import { AgentError } from "../base/error.ts";
import { isObject } from "../base/json.ts";
import { check } from "../base/options.ts";
import { slotSchema, slotValue } from "./slot.ts";
import type { Slot, SlotReader } from "./types.ts";
import { revisionOf, storedSlot, type StoredSlot, type StoredSlots } from "./stored-slots.ts";

/** Returns the value of a slot. Throws as {@link SlotReader.get}. */
export function readSlot<T>(slot: Slot<T>, stored: StoredSlots): T {
  check(slotSchema(), slot, "slots.get", "The slot");
  const { name, version, migrate } = slot;
  const found = storedSlot(stored, name);
  if (!found) return slot.initial;
  if (found.version === version) return found.value as T;
  if (found.version > version || !migrate)
    throw new AgentError(
      "slot/version",
      `Slot '${name}' was stored with version ${found.version}, and this process has version ${version}${found.version < version ? " without `migrate`" : ""}.`,
    );
  const taken = slotValue(slot, migrate(found.value, found.version));
  if ("problem" in taken)
    throw new AgentError("slot/version", `What \`migrate\` of slot '${name}' returned ${taken.problem}.`);
  return taken.value as T;
}

/** Throws `slot/read-only` for a slot that clients may not write. */
export function checkWritableByClients({ name, writableByClients = false }: Slot): void {
  if (writableByClients) return;
  throw new AgentError(
    "slot/read-only",
    `Clients may not write slot '${name}'; expected one that is defined with \`writableByClients: true\`.`,
    { data: { slot: name } },
  );
}

/** Reads slots from what `stored` returns at that time. */
export function slotReader(stored: () => StoredSlots): SlotReader {
  return Object.freeze({ get: <T>(slot: Slot<T>): T => readSlot(slot, stored()) });
}

/** Returns what a tool or a hook with these `writes` has written, as the session stores it, or what is wrong with it. */
export function writtenSlots(
  writes: readonly Slot[],
  written: unknown,
  stored: StoredSlots,
): { readonly slots: StoredSlots } | { readonly problem: string } {
  if (!isObject(written))
    return { problem: "`slots` must be an object with new values by the names of slots" };
  const slots: { [name: string]: StoredSlot } = {};
  for (const [name, value] of Object.entries(written)) {
    const slot = writes.find((each) => each.name === name);
    if (!slot) return { problem: `the slot '${name}' is not in its \`writes\`` };
    const taken = slotValue(slot, value);
    if ("problem" in taken) return { problem: `the value of slot '${name}' ${taken.problem}` };
    slots[name] = { value: taken.value, version: slot.version, revision: revisionOf(stored, name) + 1 };
  }
  return { slots };
}
