import { AgentError } from "../base/error.ts";
import * as s from "../base/option-schema.ts";
import { check } from "../base/options.ts";
import { slotSchema } from "../tool/slot.ts";
import { slotValue } from "../tool/slot-value.ts";
import { readSlot } from "../tool/slot-access.ts";
import { revisionOf } from "../tool/stored-slots.ts";
import type { Slot } from "../tool/types.ts";
import type { Runtime } from "./runtime.ts";
import type { AgentSlots } from "./types.ts";

const seenSchema = s.lazily(() => s.options<{ readonly revision: number }>({ revision: s.integer(0) }));

/** Reads and writes the slots of a session from outside. `ready` resolves when the session is open. */
export function agentSlots(runtime: Runtime, ready: () => Promise<void> | undefined): AgentSlots {
  return {
    async get(slot) {
      if (!runtime.isStopped) await ready();
      const { slots } = runtime.context;
      return { value: readSlot(slot, slots), revision: revisionOf(slots, slot.name) };
    },
    async set(slot, value, seen) {
      check(slotSchema(), slot, "slots.set", "The slot");
      if (seen !== undefined) check(seenSchema(), seen, "slots.set", "The third argument");
      await ready();
      const { name, version } = slot;
      if (!runtime.toolkit.hasSlot(slot as Slot))
        throw new AgentError(
          "config/invalid",
          `slots.set: the agent has no slot '${name}'; give it in \`slots\`, or in \`writes\` of a tool or a hook.`,
        );
      const taken = slotValue(slot as Slot, value);
      if ("problem" in taken)
        throw new AgentError("slot/invalid", `The value of slot '${name}' ${taken.problem}.`);
      await runtime.command({
        type: "slot.write",
        at: runtime.now(),
        name,
        value: taken.value,
        version,
        ...(seen && { seen: seen.revision }),
      });
      await runtime.journal.saved();
    },
  };
}
