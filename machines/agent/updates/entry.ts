import type { ErrorInfo } from "../../../src/base/error.ts";
import { toolResultsOf } from "../../../src/message/query.ts";
import type { Block, Msg, ToolResultBlock } from "../../../src/message/types.ts";
import { deniedResult, recoveredResult } from "../../../src/tool/results.ts";
import { closeCalls, isUndecided, openCalls, resultsFirst, storeResultMessage } from "./calls.ts";
import {
  freshRequest,
  freshTurn,
  type AgentContext,
  type CallRecord,
  type Change,
  type Inbox,
  type WantedOutput,
} from "../context.ts";
import { adoptOrphans, closeOrphans } from "./orphans.ts";
import type { HooksOutcome, Position } from "../services.ts";

/** A call arrives: its messages are held until they are accepted. */
export function beginCall(
  context: AgentContext,
  event: { readonly at: number; readonly input: readonly Msg[]; readonly wanted?: WantedOutput },
): Change {
  return {
    at: event.at,
    ...(context.calls.length > 0 && { calls: context.calls.map((record) => expired(record, event.at)) }),
    inbox: { ...entered(context.inbox), input: event.input, ...(event.wanted && { wanted: event.wanted }) },
    request: freshRequest(context.settings.system),
    progress: { ...withoutRest(context, event.at), resumeAt: null },
    failure: null,
    interruption: null,
    stop: false,
    goto: null,
  };
}

/** Nothing is being entered any more. */
function entered({ steering, queued }: Inbox): Inbox {
  return { input: [], steering, queued };
}

/** The call goes on with a turn: what it asks for itself counts, else what the turn was to give. One that asks for the
 *  same again gets what the turn has given already. */
export function wantedNow({ inbox, wanted }: AgentContext): WantedOutput | null {
  const asked = inbox.wanted;
  if (!asked || !wanted) return asked ?? wanted;
  const isSame = JSON.stringify(asked.schema) === JSON.stringify(wanted.schema);
  return isSame ? { ...wanted, mode: asked.mode } : asked;
}

/** An approval that nobody gave in time is a denial; time is judged by the event that comes. */
function expired(record: CallRecord, at: number): CallRecord {
  if (record.asks === undefined || record.decided || (record.expiresAt ?? Number.POSITIVE_INFINITY) > at)
    return record;
  const { asks: _, expiresAt: __, ...rest } = record;
  const result = deniedResult(record.call, "Permission denied: nobody approved the call in time");
  return { ...rest, status: "denied", since: at, result };
}

/** The time a turn rested does not count as its wall time, whatever came meanwhile. */
function withoutRest({ progress, at }: AgentContext, now: number): AgentContext["progress"] {
  const { stats, restedAt } = progress;
  const startedAt = stats.startedAt + Math.max(0, now - (restedAt ?? at));
  return { ...progress, restedAt: null, stats: { ...stats, startedAt } };
}

/** A turn that rested over its budget goes on as it was; text that came is part of it. */
export function continueTurn(context: AgentContext): Change {
  const { inbox, progress } = context;
  return {
    transcript: context.transcript.append([...inbox.queued, ...inbox.input]),
    inbox: { ...entered(inbox), queued: [] },
    wanted: wantedNow(context),
    progress: { ...progress, exceeded: null, resumeAt: null },
  };
}

/** A restored session goes on where it was; messages that came with the call are seen by the next model call. Results
 *  are taken as for a suspended turn; if they are refused, the session is still unfinished. A turn that was being broken
 *  off ends so: nobody waits any more for the signal or the time-out that did it. */
export function beginResume(
  context: AgentContext,
  event: { readonly at: number; readonly input: readonly Msg[] },
): Change {
  const { inbox, progress, request, interruption } = context;
  const isEntering = progress.resumeAt === "doCall";
  const input = [...inbox.input, ...event.input];
  const hasResults = bringsResults(input);
  return {
    at: event.at,
    progress: {
      ...withoutRest(context, event.at),
      resumeAt: hasResults && !isEntering ? progress.resumeAt : null,
      draining: false,
    },
    request: { ...request, edit: null, deadlineAt: null, graceAt: null, timedOut: false },
    failure: null,
    interruption: interruption && { ...interruption, cause: "user" },
    stop: progress.stopping ?? false,
    draft: null,
    inbox:
      isEntering || hasResults || interruption
        ? { ...inbox, input }
        : { ...inbox, input: [], steering: [...inbox.steering, ...input] },
  };
}

/** True if what comes in begins a turn of its own, once it is accepted; else the last one goes on. */
export function beginsTurn(context: AgentContext, input: readonly Msg[] = context.inbox.input): boolean {
  const { progress, settings } = context;
  if (progress.resumeAt !== null && progress.resumeAt !== "doCall") return false;
  const open = openCalls(context);
  if (open.length > 0) {
    const cancels = settings.onTextWhilePending === "cancelPending" && !open.some(isUndecided);
    return cancels && input.length > 0 && !bringsResults(input);
  }
  return progress.exceeded === null && !(progress.continues && input.length === 0);
}

/** Where in the session the call is that is being entered. */
export function positionEntered(context: AgentContext): Position {
  const { turn, iteration } = context.progress;
  return beginsTurn(context) ? { turn: turn + 1, iteration: 0 } : { turn, iteration };
}

export function applyPreCall({ inbox, request }: AgentContext, outcome: HooksOutcome): Change {
  return {
    at: outcome.at,
    inbox: { ...inbox, input: outcome.input ?? inbox.input },
    request: { ...request, system: outcome.system ?? request.system },
  };
}

/** True if the messages answer calls. */
export function bringsResults(messages: readonly Msg[]): boolean {
  return messages.some((message) => toolResultsOf(message).length > 0);
}

/** True if the input answers calls. */
export function carriesResults(context: AgentContext): boolean {
  return bringsResults(context.inbox.input);
}

/** The input enters the transcript and a turn begins, or the one that was stopped goes on if there is no input. */
export function acceptInput(context: AgentContext): Change {
  const closed = closeOrphans(context);
  const goesOn = context.progress.continues && context.inbox.input.length === 0;
  const { progress, inbox } = closed;
  return {
    progress: goesOn
      ? { ...progress, iteration: progress.iteration + 1, continues: false, resumeAt: null }
      : freshTurn(closed),
    transcript: closed.transcript.append([...inbox.queued, ...inbox.input]),
    inbox: { ...entered(inbox), queued: [] },
    wanted: goesOn ? wantedNow(context) : (inbox.wanted ?? null),
    outcome: null,
  };
}

/** Text instead of results: the open calls are answered as failed, then the text is accepted. */
export function cancelPending(context: AgentContext): Change {
  const closed = closeCalls(context, (record) => recoveredResult(record.call));
  return { ...closed, ...acceptInput({ ...closed, progress: { ...closed.progress, continues: false } }) };
}

/** Text instead of results: it waits behind them. */
export function queueInput(context: AgentContext): Change {
  const { inbox } = context;
  const queued = [...inbox.queued, ...inbox.input];
  return { inbox: { ...entered(inbox), queued }, wanted: wantedNow(context) };
}

function refusal(code: ErrorInfo["code"], message: string): Change {
  return { failure: { code, message } };
}

const listOf = (ids: readonly string[]): string => `[${ids.join(", ")}]`;

/** What the calls without a decision wait for. */
export function undecidedReason(context: AgentContext): "APPROVAL_REQUIRED" | "OUTCOME_UNKNOWN" {
  const asks = openCalls(context).some((record) => record.asks !== undefined && !record.decided);
  return asks ? "APPROVAL_REQUIRED" : "OUTCOME_UNKNOWN";
}

/** The input has no results while calls are open, or a call still needs its decision. */
export function refuseInput(context: AgentContext): Change {
  const open = openCalls(context);
  const undecided = open.filter(isUndecided);
  if (undecided.length > 0 && !carriesResults(context)) {
    const ids = listOf(undecided.map(({ call }) => call.id));
    return refusal(
      "run/undecided",
      `These calls wait for a decision: ${ids}. Use agent.decide(callId, decision) first.`,
    );
  }
  return refusal(
    "run/pending",
    `Pending tool calls exist without results. Provide tool results, call without input to run them, or set onTextWhilePending. Pending IDs: ${listOf(open.map(({ call }) => call.id))}`,
  );
}

function problemOf(context: AgentContext, results: readonly ToolResultBlock[]): Change | undefined {
  const ids = results.map(({ id }) => id);
  const open = openCalls(context).flatMap(({ call, result }) => (result ? [] : [call.id]));
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) return refusal("run/bad-results", `Duplicate tool result ID: ${repeated}`);
  const unknown = ids.filter((id) => !open.includes(id));
  if (unknown.length > 0) {
    return refusal(
      "run/bad-results",
      `Invalid tool result IDs: ${listOf(unknown)}. Expected: ${listOf(open)}`,
    );
  }
  const hasOther = context.inbox.input.some((message) =>
    message.content.some(({ type }) => type !== "tool_result"),
  );
  if (ids.length < open.length && hasOther) {
    return refusal(
      "run/bad-results",
      `Cannot include text content when providing partial tool results. Provided: ${listOf(ids)}, Pending: ${listOf(open)}`,
    );
  }
  return undefined;
}

/** Supplied results are checked all together; then they are stored in call order, and what else came behind them.
 *  Nothing is stored if anything is wrong. */
export function takeResults(given: AgentContext): Change {
  const results = given.inbox.input.flatMap(toolResultsOf);
  const context = adoptOrphans(given);
  const problem = problemOf(context, results);
  if (problem) return problem;
  const input = context.inbox.input.map((message) => ({
    ...message,
    content: message.content.map(answered),
  }));
  const order = context.calls.map(({ call }) => call.id);
  const isResult = (message: Msg): boolean => toolResultsOf(message).length > 0;
  const messages = resultsFirst(order, input);
  let stored = messages.filter(isResult).reduce<AgentContext>((now, message) => {
    const ids = toolResultsOf(message).map(({ id }) => id);
    return { ...now, ...storeResultMessage(now, message, ids) };
  }, context);
  if (context !== given) stored = closeCalls(stored, ({ call }) => recoveredResult(call));
  return {
    transcript: stored.transcript,
    calls: stored.calls,
    progress: { ...stored.progress, exceeded: null, resumeAt: null },
    inbox: {
      ...entered(context.inbox),
      queued: [...context.inbox.queued, ...messages.filter((message) => !isResult(message))],
    },
    wanted: wantedNow(context),
    outcome: null,
  };
}

/** A result that a caller hands back is an answer, whatever the suspended reply said. */
function answered(block: Block): Block {
  return block.type === "tool_result" && block.state === "suspended" ? { ...block, state: "success" } : block;
}
