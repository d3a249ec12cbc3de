import { revisionOf, storedSlot } from "../../../src/core/tool/stored-slots.ts";
import { SLOT } from "../../../src/testing/explorer/slots.ts";
import type { Check } from "./memory.ts";

/** A slot changes only by a write that was made for its newest revision, and in the step that takes what the write belongs to. */
export const slotsAreKept: Check = ({ before, move, after }) => {
  if (move.kind === "load") return undefined;
  const { slots: was } = before.snapshot.context;
  const write = storedSlot(move.meaning?.writes ?? {}, SLOT);
  const isTaken = write?.revision === revisionOf(was, SLOT) + 1;
  const expected = isTaken ? write : storedSlot(was, SLOT);
  const now = storedSlot(after.snapshot.context.slots, SLOT);
  if (JSON.stringify(now) === JSON.stringify(expected)) return undefined;
  return `the slot has the value ${JSON.stringify(now?.value)} instead of ${JSON.stringify(expected?.value)}`;
};

/** Calls that write one slot never run at the same time. */
export const writersAreAlone: Check = ({ world, after }) => {
  if (!world.tool.writes) return undefined;
  const running = after.snapshot.context.calls.filter(({ status }) => status === "running");
  return running.length > 1 ? `${running.length} calls that write the slot are running` : undefined;
};
