import type { Hook } from "../../hook/types.ts";
import { slotReader, writtenSlots } from "../../tool/slot-access.ts";
import type { StoredSlots } from "../../tool/stored-slots.ts";

/** The slots as the hooks of one point read and write them, one hook after the other. */
export class HookSlots {
  readonly #before: StoredSlots;
  #written: StoredSlots = {};
  /** Reads what the session has, and what hooks of the point have written. */
  readonly reader = slotReader(() => ({ ...this.#before, ...this.#written }));

  constructor(before: StoredSlots) {
    this.#before = before;
  }

  /** Takes what a hook returned as `slots`; returns what is wrong with it, if anything is. */
  take({ writes = [] }: Hook<never>, written: unknown): string | undefined {
    const taken = writtenSlots(writes, written, this.#before);
    if ("problem" in taken) return taken.problem;
    this.#written = { ...this.#written, ...taken.slots };
    return undefined;
  }

  /** What the hooks have written; undefined if that is nothing. */
  get written(): StoredSlots | undefined {
    return Object.keys(this.#written).length > 0 ? this.#written : undefined;
  }
}
