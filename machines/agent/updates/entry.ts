import { fromOutside, withExpiredAsks } from "./record.ts";
import { truncated } from "../../../src/core/base/shown.ts";
import type { ErrorInfo } from "../../../src/core/base/error.ts";
import type { Json } from "../../../src/core/base/json.ts";
import { toolResultsOf } from "../../../src/core/message/msg.ts";
import type { Msg, ToolResultBlock } from "../../../src/core/message/types.ts";
import { DECLARED, declaredIn, type ClientTool } from "../../../src/core/tool/declared-tools.ts";
import { deniedResult, recoveredResult, suspendedResult } from "../../../src/core/tool/results.ts";
import { revisionOf } from "../../../src/core/tool/stored-slots.ts";
import {
  closeCalls,
  isUndecided,
  openCalls,
  resultsFirst,
  storeResultMessage,
  undecidedCalls,
} from "./calls.ts";
import {
  freshRequest,
  freshTurn,
  inputTurnOf,
  type AgentContext,
  type Change,
  type Inbox,
  type WantedOutput,
} from "../context.ts";
import type { CallRecord } from "../call-record.ts";
import type { Fingerprint } from "../../../src/core/tool/fingerprint.ts";
import { agentOfCall, rememberedBy, handedFacts, handedOver, ofTurn, systemOfCall } from "./turn-agent.ts";
import { adoptOrphans, closeOrphans, orphansOf } from "./history.ts";
import { append, changeCalls, writeSlots } from "../facts.ts";
import type { HooksOutcome, Position } from "../services.ts";

/** Begins a call: its messages wait in the inbox until they are accepted. */
export function beginCall(
  context: AgentContext,
  event: {
    readonly at: number;
    readonly input: readonly Msg[];
    readonly wanted?: WantedOutput;
    readonly agent?: Fingerprint;
    readonly trace?: string;
    readonly clientTools?: readonly ClientTool[];
  },
): Change {
  const { input, wanted, clientTools } = event;
  return {
    at: event.at,
    ...changeCalls(context, (record) => expired(record, event.at)),
    inbox: {
      ...entered(context.inbox),
      input,
      ...(wanted && { wanted }),
      ...(clientTools && { clientTools }),
    },
    request: freshRequest(systemOfCall(context, beginsTurn(context, event.input))),
    progress: {
      ...withoutRest(context, event.at),
      ...agentOfCall(context, event),
      ...traceOfCall(context, event),
      resumeAt: null,
    },
    remembered: rememberedBy(context, agentOfCall(context, event).agent),
    failure: null,
    interruption: null,
    stop: false,
    goto: null,
  };
}

/** The trace of the turn that the call begins, or goes on with. */
function traceOfCall(
  context: AgentContext,
  { input, trace }: { readonly input: readonly Msg[]; readonly trace?: string },
): Pick<AgentContext["progress"], "trace"> {
  if (trace !== undefined) return { trace };
  return context.progress.trace && beginsTurn(context, input) ? { trace: null } : {};
}

/** The inbox without the input of the current call. */
function entered({ steering, queued }: Inbox): Inbox {
  return { input: [], steering, queued };
}

/** The structured output of a call that continues a turn: its own request, else that of the turn. A call that requests the same
 *  schema again keeps a value that the turn has already produced. */
export function wantedNow({ inbox, wanted }: AgentContext): WantedOutput | null {
  const asked = inbox.wanted;
  if (!asked || !wanted) return asked ?? wanted;
  const isSame = JSON.stringify(asked.schema) === JSON.stringify(wanted.schema);
  return isSame ? { ...wanted, mode: asked.mode } : asked;
}

/** Denies a call whose approval has expired at `at`, and cancels the questions of a call that have. */
function expired(record: CallRecord, at: number): CallRecord {
  if (record.resume) return withExpiredAsks(record, at);
  if (record.asks === undefined || record.decided || (record.expiresAt ?? Number.POSITIVE_INFINITY) > at)
    return record;
  const { asks: _, expiresAt: __, ...rest } = record;
  const result = deniedResult(record.call, "Permission denied: the call was not approved in time");
  return { ...rest, status: "denied", since: at, result };
}

/** Excludes the time at rest from the wall time of the turn. */
export function withoutRest({ progress, at }: AgentContext, now: number): AgentContext["progress"] {
  const { stats, restedAt } = progress;
  const startedAt = stats.startedAt + Math.max(0, now - (restedAt ?? at));
  return { ...progress, restedAt: null, stats: { ...stats, startedAt } };
}

/** Continues a turn that rested over its budget; new input becomes part of it. */
export function continueTurn(context: AgentContext): Change {
  const { inbox, progress } = context;
  return {
    ...append(context, [...inbox.queued, ...inbox.input]),
    inbox: { ...entered(inbox), queued: [] },
    wanted: wantedNow(context),
    progress: { ...progress, exceeded: null, resumeAt: null },
  };
}

/** Continues an unfinished turn. Messages of the call are seen by the next model call. Results are accepted as for a suspended
 *  turn; if they are refused, the session stays unfinished. An interrupted turn ends as interrupted by the user, because the
 *  signal or time-out that interrupted it belonged to another call. */
export function beginResume(
  context: AgentContext,
  event: {
    readonly at: number;
    readonly input: readonly Msg[];
    readonly agent?: Fingerprint;
    readonly trace?: string;
  },
): Change {
  const { inbox, progress, request, interruption } = context;
  const isEntering = progress.resumeAt === "doCall";
  const input = [...inbox.input, ...event.input];
  const hasResults = bringsResults(input);
  return {
    at: event.at,
    progress: {
      ...withoutRest(context, event.at),
      ...agentOfCall(context, event),
      ...traceOfCall(context, event),
      resumeAt: hasResults && !isEntering ? progress.resumeAt : null,
      draining: false,
    },
    request: { ...request, edits: [], deadlineAt: null, graceAt: null, timedOut: false },
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

/** True if the input begins a new turn once it is accepted; false if it continues the last one. */
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

/** True if the call goes on with a turn whose structured answer this process cannot check. */
export function lacksSchema(
  context: AgentContext,
  { input, hasOutput }: { readonly input: readonly Msg[]; readonly hasOutput: boolean },
): boolean {
  return context.wanted?.isStandard === true && !hasOutput && !beginsTurn(context, input);
}

/** The turn and iteration of the current call. */
export function positionEntered(context: AgentContext): Position {
  const { turn, iteration } = context.progress;
  return beginsTurn(context) ? { turn: turn + 1, iteration: 0 } : { turn, iteration };
}

export function applyPreCall({ inbox, request }: AgentContext, outcome: HooksOutcome): Change {
  return {
    at: outcome.at,
    inbox: { ...inbox, input: outcome.input ?? inbox.input },
    request: {
      ...request,
      system: outcome.system ?? request.system,
      ...(outcome.entered && { entered: outcome.entered }),
    },
  };
}

/** True if the messages contain tool results. */
export function bringsResults(messages: readonly Msg[]): boolean {
  return messages.some((message) => toolResultsOf(message).length > 0);
}

/** True if the input contains tool results. */
export function carriesResults(context: AgentContext): boolean {
  return bringsResults(context.inbox.input);
}

/** The slots with the tools that the client has declared for a new turn; a turn without a declaration has none of them. */
function declaredSlots(context: AgentContext): Change {
  const { slots, inbox } = context;
  const { clientTools = [] } = inbox;
  if (clientTools.length === 0 && !Object.hasOwn(slots, DECLARED.name)) return {};
  const known = declaredIn(slots);
  if (known.length === clientTools.length && JSON.stringify(known) === JSON.stringify(clientTools)) return {};
  const { name, version } = DECLARED;
  const value = clientTools as unknown as Json;
  return writeSlots(context, [[name, { value, version, revision: revisionOf(slots, name) + 1 }]]);
}

/** Stores the input and begins a turn; without input, continues the turn that was stopped. */
export function acceptInput(context: AgentContext): Change {
  const closed = closeOrphans(context);
  const goesOn = context.progress.continues && context.inbox.input.length === 0;
  const { progress, inbox } = closed;
  const triesAgain = inbox.input.length === 0 && context.outcome?.reason === "ERROR";
  const appended: AgentContext = { ...closed, ...append(closed, [...inbox.queued, ...inbox.input]) };
  const slotted = inbox.input.length > 0 ? declaredSlots(appended) : {};
  const now = { ...appended, ...slotted };
  const next = goesOn ? handedOver(closed) : { ...freshTurn(closed), ...ofTurn(closed) };
  return {
    transcript: appended.transcript,
    ...slotted,
    ...handedFacts(now, next),
    progress: goesOn
      ? { ...next, iteration: progress.iteration + 1, continues: false, resumeAt: null }
      : { ...next, ...(triesAgain && { inputTurn: inputTurnOf(progress) }) },
    inbox: { ...entered(inbox), queued: [] },
    wanted: goesOn ? wantedNow(context) : (inbox.wanted ?? null),
    outcome: null,
  };
}

/** Answers the open calls as failed, then accepts the input. */
export function cancelPending(context: AgentContext): Change {
  const closed = closeCalls(context, (record) => recoveredResult(record.call));
  return { ...closed, ...acceptInput({ ...closed, progress: { ...closed.progress, continues: false } }) };
}

/** Queues the input behind the results that are still missing. */
export function queueInput(context: AgentContext): Change {
  const { inbox } = context;
  const queued = [...inbox.queued, ...inbox.input];
  return { inbox: { ...entered(inbox), queued }, wanted: wantedNow(context) };
}

const refusal = (code: ErrorInfo["code"], message: string): Change => ({ failure: { code, message } });

const listOf = (ids: readonly string[]): string => `[${ids.map((id) => truncated(id)).join(", ")}]`;

/** The reason of a turn whose calls wait for decisions or answers. */
export function undecidedReason(
  context: AgentContext,
): "APPROVAL_REQUIRED" | "OUTCOME_UNKNOWN" | "TOOL_SUSPENDED" {
  const undecided = openCalls(context).filter(isUndecided);
  if (undecided.some(({ asks }) => asks !== undefined)) return "APPROVAL_REQUIRED";
  return undecided.some(({ status }) => status === "unknown") ? "OUTCOME_UNKNOWN" : "TOOL_SUSPENDED";
}

/** Returns the reason for which no model can be asked: nothing was ever said, or a call of loaded history has no result and is not to get
 *  one. */
function unaskable(context: AgentContext): Change | undefined {
  const { transcript, inbox, settings } = context;
  if (transcript.length + inbox.input.length + inbox.queued.length + inbox.steering.length === 0) {
    return refusal("message/invalid", "The session has no messages yet; expected an input that begins it.");
  }
  const orphans = settings.recoverOrphans ? [] : orphansOf(context);
  if (orphans.length === 0) return undefined;
  return refusal(
    "run/pending",
    `The history has calls without results, and \`recoverOrphans\` is false. Add their results to the history, or let the agent close them. IDs: ${listOf(orphans)}`,
  );
}

/** Returns the reason for which an input without results is refused; undefined if it is accepted. */
function problemOfInput(context: AgentContext): Change | undefined {
  const { inbox, progress, settings } = context;
  const open = openCalls(context);
  if (open.length === 0) return unaskable(context);
  const undecided = undecidedCalls(context);
  if (undecided.length > 0) {
    const ids = listOf(undecided.map(({ callId }) => callId));
    return refusal(
      "run/undecided",
      `These calls wait for a decision: ${ids}. Use agent.decide(callId, decision) first.`,
    );
  }
  const { onTextWhilePending } = settings;
  const isQueued = onTextWhilePending === "queue" && progress.resumeAt === null;
  if (inbox.input.length === 0 || onTextWhilePending === "cancelPending" || isQueued) return undefined;
  return refusal(
    "run/pending",
    `Pending tool calls exist without results. Provide tool results, call without input to run them, or set onTextWhilePending. Pending IDs: ${listOf(open.map(({ call }) => call.id))}`,
  );
}

/** Returns the reason for which a call with this input would be refused; undefined if it would be accepted. Hooks of `preCall` may still
 *  change it. */
export function refusalOf(
  context: AgentContext,
  call: Parameters<typeof beginCall>[1],
): ErrorInfo | undefined {
  const begun = { ...context, ...beginCall(context, call) };
  if (carriesResults(begun)) return takeResults(begun).failure ?? undefined;
  if (begun.progress.exceeded !== null && openCalls(begun).length === 0) return undefined;
  return problemOfInput(begun)?.failure ?? undefined;
}

/** True if the input, which has no results, is refused. */
export function refusesInput(context: AgentContext): boolean {
  return problemOfInput(context) !== undefined;
}

/** Refuses an input without results. */
export function refuseInput(context: AgentContext): Change {
  return problemOfInput(context) ?? {};
}

/** True for the block with which the reply shows an open call: it says that there is no result. */
function isEcho({ calls }: AgentContext, { id, state, output }: ToolResultBlock): boolean {
  const record = calls.find(({ call }) => call.id === id);
  if (state !== "suspended" || !record) return false;
  return JSON.stringify(output) === JSON.stringify(suspendedResult(record.call, record.reason).output);
}

function problemOf(context: AgentContext, results: readonly ToolResultBlock[]): Change | undefined {
  const ids = results.map(({ id }) => id);
  const open = openCalls(context).flatMap(({ call, result }) => (result ? [] : [call.id]));
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined)
    return refusal("run/bad-results", `Duplicate tool result ID: ${truncated(repeated)}`);
  const unknown = ids.filter((id) => !open.includes(id));
  if (unknown.length > 0) {
    return refusal(
      "run/bad-results",
      `Invalid tool result IDs: ${listOf(unknown)}. Expected: ${listOf(open)}`,
    );
  }
  const echoed = results.find((result) => isEcho(context, result));
  if (echoed) {
    return refusal(
      "run/bad-results",
      `The result of call '${echoed.id}' is the placeholder of the reply; expected the result of its execution.`,
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

/** Checks all supplied results, then stores them in call order, followed by the other messages. Stores nothing if a check fails. */
export function takeResults(before: AgentContext): Change {
  const results = before.inbox.input.flatMap(toolResultsOf);
  const context = adoptOrphans(before);
  const problem = problemOf(context, results);
  if (problem) return problem;
  const input = context.inbox.input.map((message) => ({
    ...message,
    content: message.content.map((block) => fromOutside(context.calls, block)),
  }));
  const order = context.calls.map(({ call }) => call.id);
  const isResult = (message: Msg): boolean => toolResultsOf(message).length > 0;
  const messages = resultsFirst(order, input);
  let stored = messages.filter(isResult).reduce<AgentContext>((now, message) => {
    const ids = toolResultsOf(message).map(({ id }) => id);
    return { ...now, ...storeResultMessage(now, message, ids) };
  }, context);
  if (context !== before) stored = closeCalls(stored, ({ call }) => recoveredResult(call));
  return {
    transcript: stored.transcript,
    calls: stored.calls,
    ...(stored.facts && { facts: stored.facts }),
    progress: { ...stored.progress, exceeded: null, resumeAt: null },
    inbox: {
      ...entered(context.inbox),
      queued: [...context.inbox.queued, ...messages.filter((message) => !isResult(message))],
    },
    wanted: wantedNow(context),
    outcome: null,
  };
}
