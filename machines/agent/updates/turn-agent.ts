import type { ToolResultBlock } from "../../../src/core/message/types.ts";
import { planSummary, stateOf } from "./compaction-plan.ts";
import { freshRequest, type AgentContext, type Change, type Progress } from "../context.ts";
import type { CallRecord } from "../call-record.ts";
import { declare, changeCalls } from "../facts.ts";
import { unknownTool } from "../../../src/core/tool/results.ts";
import type { AgentCommand } from "../events.ts";
import { changeBetween, type AgentChange, type Fingerprint } from "../../../src/core/tool/fingerprint.ts";
import { isBetweenTurns, decidedResult } from "./calls.ts";

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

type Load = Extract<AgentCommand, { readonly type: "session.load" }>;

/** Returns the differences between the agent that runs the turn of a session at rest and another agent. Undefined between turns, and for a
 *  turn that does not say which agent runs it. */
export function changeInTurn(context: AgentContext, now: Fingerprint | undefined): AgentChange | undefined {
  const { agent } = context.progress;
  if (!agent || !now || agent === now || isBetweenTurns(context)) return undefined;
  return changeBetween(agent, now);
}

/** The session to load is in a turn of another agent, and the policy of this one leaves it alone. */
export function isLeftToOthers(
  { settings }: AgentContext,
  { context, agent, isReleased = false }: Load,
): boolean {
  const { onChangedAgent: policy } = settings;
  if (policy === "adopt" || (policy === "hold" && isReleased)) return false;
  return changeInTurn(context, agent) !== undefined;
}

/** The agent with which a call begins its turn. A turn goes on with the agent that it has, until another one adopts it. */
export function agentOfCall(
  context: AgentContext,
  { agent }: { readonly agent?: Fingerprint },
): Pick<AgentContext["progress"], "agent"> {
  const known = isBetweenTurns(context) ? undefined : context.progress.agent;
  const now = known ?? agent;
  return now ? { agent: now } : {};
}

/** The remembered approvals without those of tools that are others for the agent `now`. */
export function rememberedBy(
  { remembered, progress }: AgentContext,
  now: Fingerprint | undefined,
): AgentContext["remembered"] {
  const change = progress.agent && now && remembered.length > 0 && changeBetween(progress.agent, now);
  if (!change) return remembered;
  return remembered.filter(({ tool }) => !change.changed.includes(tool) && !change.gone.includes(tool));
}

/** Takes over the turn of another agent. A call of a tool that has changed is asked about again if it was permitted, and a call of a tool
 *  that is gone is answered. */
export function adoptTurn(
  context: AgentContext,
  { at, agent }: Extract<AgentCommand, { readonly type: "session.adopt" }>,
): Change {
  const change = changeInTurn(context, agent);
  const now: AgentContext = {
    ...context,
    ...(change && declare(context, { type: "agent.changed", change })),
  };
  const changed = change
    ? { facts: now.facts!, ...changeCalls(now, (record) => revised(record, change, at)) }
    : {};
  const progress = { ...context.progress, agent };
  return { at, ...changed, remembered: rememberedBy(context, agent), progress };
}

/** True for a call that would run without a further decision. */
function wouldRun({ status, onRestart }: CallRecord): boolean {
  return status === "approved" || (status === "running" && onRestart === "retry");
}

function revised(record: CallRecord, { changed, gone, permissions }: AgentChange, at: number): CallRecord {
  const { name } = record.call;
  const isChanged = changed.includes(name);
  if (record.stored || record.result || decidedResult(record)) return record;
  if (record.status !== "pending" && !wouldRun(record)) return isChanged ? withoutApproval(record) : record;
  const { decided, decidedBy: _, asks, argsHash, ...others } = record;
  const { deadlineAt: __, spawned: ___, notBeforeAt: ____, ...rest } = others;
  if (gone.includes(name)) return { ...rest, status: "done", since: at, result: unknownTool(record.call) };
  const wasAsked = asks !== undefined || decided !== undefined || argsHash !== undefined;
  if (wasAsked && isChanged) {
    const reason = `Tool '${name}' has changed since its approval was asked for.`;
    return { ...rest, status: "pending", since: at, asks: reason, askedAgainAt: at };
  }
  const isReviewedAgain = !wasAsked && (isChanged || permissions) && record.status !== "pending";
  return isReviewedAgain ? { ...rest, status: "pending", since: at } : record;
}

/** A call that may have run, or waits for a result from outside: an approval of its former tool does not permit another attempt. */
function withoutApproval(record: CallRecord): CallRecord {
  const { argsHash, ...rest } = record;
  return argsHash === undefined ? record : rest;
}
