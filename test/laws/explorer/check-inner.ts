import type { AgentContext } from "../../../machines/agent/context.ts";
import type { ToolRunOutcome } from "../../../machines/agent/services.ts";
import { statsWithWaiting } from "../../../machines/agent/updates/record.ts";
import { INNER_DECISIONS } from "../../../src/testing/explorer/asks.ts";
import { startedOf } from "../../../src/testing/explorer/transition.ts";
import type { Check } from "./memory.ts";

const spentIn = ({ progress, calls }: AgentContext): number =>
  statsWithWaiting({ progress, calls }).modelCalls;

/** The model calls that the outcome of a tool adds to those that are known: nothing if it comes too late. */
function gained(context: AgentContext, outcome: Partial<ToolRunOutcome>): number {
  const record = context.calls.find(({ call }) => call.id === outcome.callId);
  if (record?.status !== "running" || record.attempt !== outcome.attempt || !outcome.spent) return 0;
  return outcome.spent.modelCalls - (record.resume?.spent?.modelCalls ?? 0);
}

/** What an agent inside of a call uses counts once, however often the call waits and whatever becomes of it. */
export const innerUseCountsOnce: Check = ({ world, before, move, after }) => {
  const [was, is] = [before.snapshot.context, after.snapshot.context];
  if (world.asks !== "approvals" || move.kind === "load" || is.progress.turn !== was.progress.turn)
    return undefined;
  const [event] = move.events;
  const { output = {} } = (event ?? {}) as { readonly output?: Partial<ToolRunOutcome> };
  const asked = startedOf(after, "callModel").length;
  const expected = gained(was, output) + (move.kind === "crash" ? 0 : asked);
  const found = spentIn(is) - spentIn(was);
  if (move.kind === "crash" && found >= 0 && found <= asked) return undefined;
  return found === expected ? undefined : `${found} model calls are counted for ${expected}`;
};

/** What waits inside of a call gets only the decisions that such a call takes. */
export const innerDecisionsFit: Check = ({ world, before, move }) => {
  const [event] = move.events;
  if (world.asks !== "approvals" || event?.type !== "tool.decide") return undefined;
  for (const { call, resume } of before.snapshot.context.calls) {
    const asked = resume?.asks.find(({ ask }) => `${call.id}/${ask.id}` === event.callId)?.ask.call;
    const fits = INNER_DECISIONS.some(
      ([, decision, waits]) => decision === event.decision && waits.includes(asked?.waitsFor ?? "approval"),
    );
    if (asked && !fits) return `what waits for ${asked.waitsFor} takes ${JSON.stringify(event.decision)}`;
  }
  return undefined;
};
