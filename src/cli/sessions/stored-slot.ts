import { randomUUID } from "node:crypto";
import { causedBy } from "../../agent/steps.ts";
import { createAgent } from "../../agent/create-agent.ts";
import { AgentError } from "../../core/base/error.ts";
import type { Json } from "../../core/base/json.ts";
import type { ChatModel } from "../../core/model/port.ts";
import { BREAKPOINTS, type StoredSlots } from "../../core/tool/stored-slots.ts";
import type { Slot } from "../../core/tool/types.ts";
import { openSession } from "../../session/open-session.ts";
import type { SessionStore } from "../../store/port.ts";
import { commandData } from "../../worker/inbox.ts";
import { withCleanup } from "../with-cleanup.ts";

/** Returns the slots of a stored session. */
export async function slotsOf(store: SessionStore, sessionId: string): Promise<StoredSlots> {
  const { context } = await (await openSession(store, sessionId)).at();
  return (context["slots"] ?? {}) as StoredSlots;
}

/** Writes a slot of a stored session that has this revision. While another process has the session, hands it to the worker there: then it
 *  is `sent`. */
export async function writeSlot(
  store: SessionStore,
  sessionId: string,
  slot: Slot,
  value: Json,
  revision: number,
): Promise<"written" | "sent"> {
  try {
    await write(store, sessionId, slot, value, revision);
    return "written";
  } catch (error) {
    if (!AgentError.is(error) || error.code !== "session/conflict") throw error;
    const { name } = slot;
    const command = { kind: "setSlot", name, value, revision, at: Date.now() } as const;
    await store.putInput(sessionId, { id: randomUUID(), data: commandData(command) });
    return "sent";
  }
}

const silent: ChatModel = { name: "none", async *stream() {} };

async function write(
  store: SessionStore,
  sessionId: string,
  slot: Slot,
  value: Json,
  revision: number,
): Promise<void> {
  const agent = createAgent({
    name: "operator",
    model: silent,
    store,
    sessionId,
    sessionOptions: { slots: slot.name === BREAKPOINTS ? [] : [slot] },
  });
  await withCleanup(
    () => causedBy("operator", () => agent.slots.set(slot, value, { revision })),
    () => agent.close(),
  );
}
