import { unknownTool } from "../../../src/core/tool/results.ts";
import type { AgentContext, Change } from "../context.ts";
import type { CallRecord } from "../call-record.ts";
import type { AgentCommand } from "../events.ts";
import { changeBetween, type AgentChange, type Fingerprint } from "../../../src/core/tool/fingerprint.ts";
import { changeCalls, declare } from "../facts.ts";
import { isBetweenTurns } from "../phase.ts";
import { decidedResult } from "./calls.ts";

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
