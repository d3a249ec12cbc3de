import { revisionOf, type StoredSlots } from "../../core/tool/stored-slots.ts";

/** The slot that tools, hooks and people of a world write. */
export const SLOT = "slot";

/** The slot as somebody writes it who has been given these slots. */
export const written = (slots: StoredSlots, value: string): StoredSlots => ({
  [SLOT]: { value, version: 1, revision: revisionOf(slots, SLOT) + 1 },
});
