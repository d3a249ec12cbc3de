import { randomUUID } from "node:crypto";
import { causedBy } from "../../agent/steps.ts";
import { createAgent } from "../../agent/create-agent.ts";
import { visitors } from "../../agent/visitors.ts";
import { AgentError, configError } from "../../core/base/error.ts";
import type { Json } from "../../core/base/json.ts";
import type { ChatModel } from "../../core/model/port.ts";
import { slotValue } from "../../core/tool/slot.ts";
import { BREAKPOINTS, type StoredSlots } from "../../core/tool/stored-slots.ts";
import type { Slot } from "../../core/tool/types.ts";
import { openSession } from "../../session/open-session.ts";
import type { SessionStore } from "../../store/port.ts";
import { commandData } from "../../worker/inbox.ts";
import type { CliIo } from "../cli-io.ts";
import { printResult } from "../output.ts";
import { withClosing } from "../with-cleanup.ts";
import { readJson } from "../read-json.ts";

/** A session of a command, and the output of the command. */
export type SlotTarget = {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly flags: { readonly json: boolean };
  readonly io: CliIo;
};

/** Returns the slots of a stored session. */
export async function slotsOf(store: SessionStore, sessionId: string): Promise<StoredSlots> {
  const { context } = await (await openSession(store, sessionId)).at();
  return (context["slots"] ?? {}) as StoredSlots;
}

/** Reads the value of a slot from the JSON of a file, or of stdin for "-". Throws `config/invalid`; `what` names it. */
export async function readValue(slot: Slot, file: string, what: string): Promise<Json> {
  const read = slotValue(slot, await readJson(file, what));
  if ("problem" in read) throw configError(`${what} ${read.problem}.`);
  return read.value;
}

/** Writes a slot of a stored session that has this revision, and prints it; `what` and `it` name the value. While another process has the
 *  session, hands it to the worker there. */
export async function replaceSlot(
  { store, sessionId, flags, io }: SlotTarget,
  { slot, what, it }: { readonly slot: Slot; readonly what: string; readonly it: string },
  value: Json,
  revision: number,
): Promise<void> {
  try {
    await write(store, sessionId, slot, value, revision);
    printResult(io, flags, `Wrote ${what} of ${sessionId}.`, { sessionId, revision: revision + 1 });
  } catch (error) {
    if (!AgentError.is(error) || error.code !== "session/conflict") throw error;
    const { name } = slot;
    const command = { kind: "setSlot", name, value, revision, at: Date.now() } as const;
    await store.putInput(sessionId, { id: randomUUID(), data: commandData(command) });
    const where = `${sessionId} is open in another process, and its worker takes ${it}`;
    printResult(io, flags, `Sent ${what}: ${where}.`, { sessionId, sent: true });
  }
}

const silent: ChatModel = { name: "none", async *stream() {} };
visitors.add(silent);

async function write(
  store: SessionStore,
  sessionId: string,
  slot: Slot,
  value: Json,
  revision: number,
): Promise<void> {
  const { agent: name } = (await store.load(sessionId))?.position ?? {}; // it stays the agent that the session is listed with
  const agent = createAgent({
    name: typeof name === "string" ? name : "operator",
    model: silent,
    store,
    sessionId,
    sessionOptions: { slots: slot.name === BREAKPOINTS ? [] : [slot] },
  });
  await withClosing(agent, () => causedBy("operator", () => agent.slots.set(slot, value, { revision })));
}
