import { AgentError } from "../../core/base/error.ts";
import { planText } from "../../kit/plan/markdown.ts";
import { planHistorySlot, planSlot } from "../../kit/plan/plan.ts";
import type { SessionStore } from "../../store/port.ts";
import { readSlot } from "../../core/tool/slot.ts";
import { revisionOf } from "../../core/tool/stored-slots.ts";
import type { Slot } from "../../core/tool/types.ts";
import type { CliIo } from "../cli-io.ts";
import type { Handler } from "../define-command.ts";
import { printReport, printsJson } from "../output.ts";
import { withSession } from "../session-commands.ts";
import type { plan as definition } from "./definitions.ts";
import { readValue, replaceSlot, slotsOf } from "./stored-slot.ts";

type Flags = Parameters<Handler<typeof definition>>[0]["flags"];

/** `agentchart sessions plan`. */
export const planCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) =>
  withSession({ sessionId: id, flags }, async (store) => {
    if (flags.set === undefined) await show(store, id, flags, io);
    else await replace(store, id, flags, io);
    return 0;
  });

async function show(store: SessionStore, sessionId: string, flags: Flags, io: CliIo): Promise<void> {
  const slots = await slotsOf(store, sessionId);
  const plan = readSlot(planSlot, slots);
  const revision = revisionOf(slots, planSlot.name);
  const history = readSlot(planHistorySlot, slots);
  const textOf = (): string => `${planText(plan!)}\nRevision: ${revision}`;
  if (plan || printsJson(io, flags)) printReport(io, flags, { sessionId, revision, plan, history }, textOf);
  else io.terminal.note(`Session ${sessionId} has no plan; revision ${revision}.`);
}

async function replace(store: SessionStore, sessionId: string, flags: Flags, io: CliIo): Promise<void> {
  const slot = planSlot as Slot;
  const plan = await readValue(slot, flags.set!, "The plan of --set");
  const revision = revisionOf(await slotsOf(store, sessionId), planSlot.name);
  const { revision: seen = revision } = flags;
  if (seen !== revision)
    throw new AgentError(
      "slot/conflict",
      `The plan has the revision ${revision}, not ${seen}: look at it again, then name its revision.`,
    );
  const named = { slot, what: "the plan", it: "the plan" };
  await replaceSlot({ store, sessionId, flags, io }, named, plan, seen);
}
