import type { ToolResultBlock } from "../../../src/core/message/types.ts";
import { planSummary, stateOf } from "./compaction-plan.ts";
import { freshRequest, type AgentContext, type Change, type Progress } from "../context.ts";
import type { CallRecord } from "../call-record.ts";
import { declare } from "../facts.ts";

/** The progress after a handoff that a batch has asked for, if it has. */
export function handedOver(context: AgentContext): Progress {
  const { progress, settings } = context;
  const { handoff, handoffs = 0 } = progress;
  if (handoff === null || handoff === undefined) return progress;
  const isPersona = Object.hasOwn(settings.handoffs?.systems ?? {}, handoff);
  const now = { ...progress, persona: isPersona ? handoff : null, handoff: null, handoffs: handoffs + 1 };
  return settings.handoffs?.summarised?.includes(handoff) ? withSummaryAsked(context, now, handoff) : now;
}

/** Asks for a summary of all that a persona has not seen, if one can be made. */
function withSummaryAsked(context: AgentContext, progress: Progress, persona: string): Progress {
  const instructions = `The conversation is handed over to '${persona}'. Say what the user wants, what was found and done, and what is open.`;
  const asked = { instructions, isHandoff: true } as const;
  const asking = { ...progress, compactions: { ...stateOf(context), asked } };
  const plan = planSummary({ ...context, progress: asking }, context.settings.compaction!.isSeparate, 1);
  return plan ? asking : progress;
}

/** The system prompt of a persona. One that this agent does not have any more is the agent itself. */
function systemOf({ settings, progress }: AgentContext, persona: string | null | undefined): string {
  const { system, handoffs } = settings;
  const changed = progress.overrides?.system;
  if (changed && changed.persona === (persona ?? null)) return changed.text;
  return handoffs && typeof persona === "string" && Object.hasOwn(handoffs.systems, persona)
    ? handoffs.systems[persona]!
    : system;
}

/** True if a call of the batch has handed the session over. */
export function handoffRequested({ progress }: AgentContext): boolean {
  return typeof progress.handoff === "string";
}

/** Another persona goes on with the turn, with a prompt of its own. */
export function applyHandoff(context: AgentContext): Change {
  const progress = handedOver(context);
  return {
    ...handedFacts(context, progress),
    progress,
    request: freshRequest(systemOf(context, progress.persona)),
  };
}

/** The fact that another persona has the session from now on; none if the same one keeps it. */
export function handedFacts(context: AgentContext, { persona }: Progress): Change {
  const [from, to] = [context.progress.persona ?? null, persona ?? null];
  return {
    ...(context.facts && { facts: context.facts }),
    ...(from !== to && declare(context, { type: "handoff", from, to })),
  };
}

/** The system prompt with which a call begins, a new turn or not: that of the persona that takes it. */
export function systemOfCall(context: AgentContext, isTurn: boolean): string {
  const { progress, calls } = context;
  if (isTurn) return systemOf(context, ofTurn(context).persona);
  return systemOf(context, calls.length > 0 ? progress.persona : handedOver(context).persona);
}

/** The persona with which a turn begins: that which had the last one, or the agent itself. */
export function ofTurn(
  context: AgentContext,
): Pick<Progress, "persona" | "handoff" | "handoffs" | "compactions"> {
  const { handoffs } = context.settings;
  if (!handoffs) return {};
  if (handoffs.reset === "turn") return { persona: null, handoff: null, handoffs: 0 };
  const { persona = null, compactions } = handedOver(context);
  return { persona, handoff: null, handoffs: 0, ...(compactions && { compactions }) };
}

/** The persona to which a tool hands over. */
function targetOf({ settings }: AgentContext, tool: string): string | undefined {
  const { tools = {} } = settings.handoffs ?? {};
  return Object.hasOwn(tools, tool) ? tools[tool] : undefined;
}

/** Returns the effect of a result on the progress: the first call of a batch that hands over counts, within the limit of the turn. */
export function withHandoff(
  context: AgentContext,
  progress: Progress,
  result: ToolResultBlock | undefined,
): Progress {
  const to = result?.state === "success" ? targetOf(context, result.name) : undefined;
  if (to === undefined || typeof progress.handoff === "string") return progress;
  return (progress.handoffs ?? 0) < context.settings.handoffs!.max ? { ...progress, handoff: to } : progress;
}

/** The progress without the handoff of a call whose result a hook has turned into a failure. */
export function withoutHandoff(context: AgentContext, progress: Progress, tool: string): Progress {
  const to = targetOf(context, tool);
  return to !== undefined && progress.handoff === to ? { ...progress, handoff: null } : progress;
}

/** Returns the reason for which a call does not hand over: another one of the batch does, or the turn has had too many; undefined if it
 *  may. */
export function handoffProblem(context: AgentContext, record: CallRecord): string | undefined {
  const { calls, progress, settings } = context;
  if (targetOf(context, record.call.name) === undefined) return undefined;
  const { max } = settings.handoffs!;
  const place = calls.indexOf(record);
  const isTaken = calls.some(
    ({ call, status }, index) =>
      index < place && status === "running" && targetOf(context, call.name) !== undefined,
  );
  if (isTaken || typeof progress.handoff === "string") return "Only one transfer at a time.";
  return (progress.handoffs ?? 0) < max ? undefined : `There were ${max} transfers in this turn already.`;
}
