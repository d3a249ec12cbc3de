import { AgentError, configError } from "../../core/base/error.ts";
import type { Json } from "../../core/base/json.ts";
import { planText } from "../../kit/plan/markdown.ts";
import { planHistorySlot, planSlot, type Plan } from "../../kit/plan/plan.ts";
import type { SessionStore } from "../../store/port.ts";
import { slotValue, readSlot } from "../../core/tool/slot.ts";
import { revisionOf } from "../../core/tool/stored-slots.ts";
import type { Slot } from "../../core/tool/types.ts";
import type { CliIo } from "../cli-io.ts";
import type { Handler } from "../define-command.ts";
import { printResult, printsJson } from "../output.ts";
import { withSession } from "../session-commands.ts";
import type { plan as definition } from "./definitions.ts";
import { readJson } from "./read-json.ts";
import { slotsOf, writeSlot } from "./stored-slot.ts";

type Flags = Parameters<Handler<typeof definition>>[0]["flags"];

/** `agentchart sessions plan`. */
export const planCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) =>
  withSession({ sessionId: id, flags }, async (store) => {
    if (flags.set === undefined) await show(store, id, flags, io);
    else await replace(store, id, await readPlan(flags.set), flags, io);
    return 0;
  });

async function show(store: SessionStore, sessionId: string, flags: Flags, io: CliIo): Promise<void> {
  const slots = await slotsOf(store, sessionId);
  const plan = readSlot(planSlot, slots);
  const revision = revisionOf(slots, planSlot.name);
  if (printsJson(io, flags)) {
    const history = readSlot(planHistorySlot, slots);
    io.stdout.write(`${JSON.stringify({ sessionId, revision, plan, history })}\n`);
  } else if (plan) io.stdout.write(`${planText(plan)}\nRevision: ${revision}\n`);
  else io.terminal.note(`Session ${sessionId} has no plan; revision ${revision}.`);
}

/** The plan of a file, or of stdin for "-". */
async function readPlan(file: string): Promise<Plan | null> {
  const what = "The plan of --set";
  const taken = slotValue(planSlot as Slot, await readJson(file, what));
  if ("problem" in taken) throw configError(`${what} ${taken.problem}.`);
  return taken.value as Plan | null;
}

/** Writes the plan; while another process has the session, hands it to the worker there. */
async function replace(
  store: SessionStore,
  sessionId: string,
  plan: Plan | null,
  flags: Flags,
  io: CliIo,
): Promise<void> {
  const revision = revisionOf(await slotsOf(store, sessionId), planSlot.name);
  const { revision: seen = revision } = flags;
  if (seen !== revision)
    throw new AgentError(
      "slot/conflict",
      `The plan has the revision ${revision}, not ${seen}: look at it again, then name its revision.`,
    );
  const outcome = await writeSlot(store, sessionId, planSlot as Slot, plan as Json, seen);
  if (outcome === "written")
    printResult(io, flags, `Wrote the plan of ${sessionId}.`, { sessionId, revision: seen + 1 });
  else {
    const where = `${sessionId} is open in another process, and its worker takes the plan`;
    printResult(io, flags, `Sent the plan: ${where}.`, { sessionId, sent: true });
  }
}
