import { AgentError } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import type { Breakpoint } from "../core/tool/breakpoint.ts";
import { BREAKPOINTS } from "../core/tool/breakpoint-slot.ts";
import { slotSchema, slotValue } from "../core/tool/slot.ts";
import { checkWritableByClients, readSlot } from "../core/tool/slot-access.ts";
import { revisionOf } from "../core/tool/stored-slots.ts";
import type { Slot } from "../core/tool/types.ts";
import type { InboxAgent } from "./inbox-agent.ts";
import type { Runtime } from "./runtime.ts";
import type { AgentSlots } from "./types.ts";

const seenSchema = s.lazily(() => s.options<{ readonly revision: number }>({ revision: s.integer(0) }));

/** Reads and writes the slots of a session from outside. `ready` resolves when the session is open. */
export function agentSlots(
  runtimeOf: () => Runtime,
  ready: () => Promise<void> | undefined,
): AgentSlots & Pick<InboxAgent, "writeSlot"> {
  const unknown = (from: string, name: string): AgentError =>
    new AgentError(
      "config/invalid",
      `${from}: the agent has no slot '${name}'; give it in \`slots\`, or in \`writes\` of a tool or a hook.`,
    );
  const write = async (slot: Slot, given: unknown, seen?: number, inputId?: string): Promise<void> => {
    const { name, version } = slot;
    const taken = slotValue(slot, given);
    if ("problem" in taken)
      throw new AgentError("slot/invalid", `The value of slot '${name}' ${taken.problem}.`);
    const { value } = taken;
    if (name === BREAKPOINTS) {
      const problem = (await import("./breakpoints/names.ts")).nameProblem(value as readonly Breakpoint[]);
      if (problem !== undefined) throw new AgentError("slot/invalid", problem);
    }
    const runtime = runtimeOf();
    const at = runtime.now();
    const command = { type: "slot.write", at, name, value, version } as const;
    await runtime.command({ ...command, ...(seen !== undefined && { seen }) }, inputId);
    await runtime.journal.saved();
  };
  return {
    async get(slot) {
      if (!runtimeOf().isStopped) await ready();
      const { slots } = runtimeOf().context;
      return { value: readSlot(slot, slots), revision: revisionOf(slots, slot.name) };
    },
    async set(slot, value, seen) {
      check(slotSchema(), slot, "slots.set", "The slot");
      if (seen !== undefined) check(seenSchema(), seen, "slots.set", "The third argument");
      await ready();
      const { toolkit } = runtimeOf().host;
      const isKnown = toolkit.hasSlot(slot as Slot) || (await toolkit.writableSlot(slot.name)) === slot;
      if (!isKnown) throw unknown("slots.set", slot.name);
      await write(slot as Slot, value, seen?.revision);
    },
    async writeSlot(name, value, seen, inputId) {
      await ready();
      const slot = await runtimeOf().host.toolkit.writableSlot(name);
      if (!slot) throw unknown("writeSlot", name);
      checkWritableByClients(slot);
      await write(slot, value, seen, inputId);
    },
  };
}
