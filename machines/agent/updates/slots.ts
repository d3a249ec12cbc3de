import { revisionOf, type StoredSlots } from "../../../src/core/tool/stored-slots.ts";
import type { AgentContext, Change } from "../context.ts";
import type { AgentCommand } from "../events.ts";
import { writeSlots } from "../facts.ts";

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
