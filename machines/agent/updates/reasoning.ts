import { hasVisibleContent, toolResultsOf, toolUsesOf, addUsage } from "../../../src/core/message/msg.ts";
import type { Msg, Reason } from "../../../src/core/message/types.ts";
import { backoffMs } from "../../../src/core/model/execution.ts";
import { truncatedCall } from "../../../src/core/tool/results.ts";
import { answersTo, closeCalls, cutBy, recordsOf, resultsFirst } from "./calls.ts";
import { exceededByModel } from "./budget.ts";
import type { AgentContext, Change, Draft, Progress } from "../context.ts";
import type { TimerDue } from "../events.ts";
import { append, declare, openBatch } from "../facts.ts";
import type { HooksOutcome, ModelOutcome } from "../services.ts";
import { confirmedView } from "./view.ts";

export function applyPrompt({ request }: AgentContext, outcome: HooksOutcome): Change {
  return { at: outcome.at, request: { ...request, edits: outcome.edits ?? [] } };
}

/** True if the turn may not reason once more. */
export function isPastLimit({ progress, settings }: AgentContext): boolean {
  return progress.iteration >= settings.maxIters && !progress.exempt;
}

/** Begins a request, with its deadline. */
export function beginAttempt(context: AgentContext): Change {
  const { at, progress, settings, failure } = context;
  const { final: _, ...request } = context.request;
  const { timeoutMs } = settings.model;
  const { stats } = progress;
  const isSummary = isPastLimit(context); // the iterations are used up
  const isFirst = request.attempt === 0 && progress.emptyRetries === 0 && failure === null;
  const isStep = isFirst && !request.tookNews && !isSummary;
  return {
    request: {
      ...request,
      attempt: request.attempt + 1,
      deadlineAt: timeoutMs === undefined ? null : at + timeoutMs,
      notBeforeAt: null,
    },
    draft: null,
    failure: null,
    progress: {
      ...progress,
      stats: { ...stats, modelCalls: stats.modelCalls + 1, iterations: stats.iterations + (isStep ? 1 : 0) },
    },
  };
}

/** Our count is corrected in steps of this size, so that it changes seldom. */
const [RATIO_STEP, REST_STEP] = [0.05, 50];
/** The bounds within which the report of a provider corrects our count. Some report less than they were sent, and the prompt must become
 *  shorter before the window is full. */
const [LEAST_RATIO, MOST_RATIO] = [0.8, 4];

/** Compares the count of the provider with ours, if the view has a bound in tokens. */
function countedBy({ settings }: AgentContext, { counted }: ModelOutcome): Pick<Progress, "counted"> {
  const isNeeded = settings.window?.maxTokens !== undefined || settings.compaction?.window != null;
  if (!counted || !isNeeded) return {};
  const { tokens, messages, rest } = counted;
  const ratio = Math.min(MOST_RATIO, Math.max(LEAST_RATIO, tokens / (messages + rest)));
  return {
    counted: {
      ratio: Math.ceil(ratio / RATIO_STEP) * RATIO_STEP,
      overhead: Math.ceil(rest / REST_STEP) * REST_STEP,
    },
  };
}

export function recordOutcome(context: AgentContext, outcome: ModelOutcome): Change {
  const { message, finishReason, error, value } = outcome;
  const isLate = context.request.timedOut && !context.interruption;
  const { progress } = context;
  return {
    ...lateFact(context),
    at: outcome.at,
    request: { ...context.request, deadlineAt: null, timedOut: false, finishReason },
    failure: isLate
      ? timeoutOf(context, outcome.delivered ? undefined : !context.request.final)
      : (error ?? null),
    draft:
      message && (context.interruption || !(isLate || error))
        ? { message, finishReason, ...(value !== undefined && { value }) }
        : null,
    progress: {
      ...progress,
      stats: { ...progress.stats, usage: addUsage(progress.stats.usage, outcome.usage) },
      ...countedBy(context, outcome),
    },
  };
}

/** The fact that the request has run out of time, if it has. */
function lateFact(context: AgentContext): Pick<Change, "facts"> {
  return context.request.timedOut ? declare(context, { type: "request.late" }) : {};
}

/** Takes back a request that was not sent, so that the messages that came before become part of it. */
export function takeBack({ request, progress }: AgentContext): Change {
  const { stats } = progress;
  return {
    failure: null,
    request: { ...request, attempt: request.attempt - 1, tookNews: true },
    progress: { ...progress, stats: { ...stats, modelCalls: stats.modelCalls - 1 } },
  };
}

/** Removes the tool calls of a summary, which must have none. */
function withoutCalls(draft: Draft | null): Draft | null {
  const content = draft?.message.content.filter(({ type }) => type !== "tool_use") ?? [];
  return draft && content.length > 0 ? { ...draft, message: { ...draft.message, content } } : null;
}

export function recordSummary(context: AgentContext, outcome: ModelOutcome): Change {
  const change = recordOutcome(context, outcome);
  return { ...change, draft: withoutCalls(change.draft ?? null) };
}

/** An attempt has used up its time; the service is aborted and returns what it has. */
export function noteTimeout(context: AgentContext, { at, final = [] }: TimerDue): Change {
  const graceAt = at + context.settings.interruptGraceMs;
  const isFinal = final.includes("model");
  return { at, request: { ...context.request, timedOut: true, graceAt, ...(isFinal && { final: true }) } };
}

function timeoutOf(context: AgentContext, retry: boolean | undefined): NonNullable<AgentContext["failure"]> {
  return {
    code: "model/timeout",
    message: `The model did not finish within its timeout of ${context.settings.model.timeoutMs} ms.`,
    isRetryable: true,
    ...(retry !== undefined && { retry }),
  };
}

/** Gives up a service that did not end after it was aborted; its output is lost. */
export function giveUpModel(context: AgentContext, event: { readonly at: number }): Change {
  return {
    ...lateFact(context),
    at: event.at,
    draft: null,
    failure: context.request.timedOut ? timeoutOf(context, false) : null,
    request: { ...context.request, deadlineAt: null, timedOut: false },
  };
}

export function mayRetry(context: AgentContext): boolean {
  const { failure, request, settings } = context;
  const isAllowed = request.attempt < (settings.model.maxAttempts ?? 1) && !exceededByModel(context);
  return failure?.retry === true && isAllowed;
}

/** True if the fallback model may be called: nothing of the first answer was delivered, so that `retry` is defined. */
export function mayFallBack(context: AgentContext): boolean {
  return (
    context.failure?.retry !== undefined &&
    context.settings.hasFallback &&
    !context.request.usesFallback &&
    !exceededByModel(context)
  );
}

export function planBackoff(context: AgentContext): Change {
  const { at, settings, request } = context;
  const wait = at + backoffMs(settings.model, request.attempt, settings.sessionId);
  const until = Math.max(wait, context.failure?.retryAt ?? 0);
  const { retry: _, ...error } = context.failure!;
  return {
    request: { ...request, notBeforeAt: until },
    ...declare(context, { type: "retry", attempt: request.attempt, until, error }),
  };
}

/** True for an answer without visible text, media or calls. Thinking alone counts as empty if the provider sent a finish reason
 *  (S39, py6). */
export function isEmptyAnswer(context: AgentContext): boolean {
  const { draft } = context;
  if (!draft) return true;
  const { content } = draft.message;
  if (hasVisibleContent(content) || toolUsesOf(draft.message).length > 0) return false;
  return content.every(({ type }) => type !== "thinking") || draft.finishReason !== "unknown";
}

/** True if an empty answer may be retried: the provider neither refused nor filtered it. */
export function mayAskAgain(context: AgentContext): boolean {
  const reason = context.request.finishReason;
  return (
    context.progress.emptyRetries < context.settings.maxEmptyRetries &&
    reason !== "content_filter" &&
    reason !== "refusal" &&
    !exceededByModel(context)
  );
}

export function failEmpty(context: AgentContext): Change {
  const reason = context.request.finishReason ?? "unknown";
  const filtered = reason === "content_filter" || reason === "refusal";
  return {
    draft: null,
    failure: {
      code: filtered ? "model/content-filter" : "model/empty",
      message: filtered
        ? `The model gave no answer (finish reason "${reason}"). What it did not answer is left out from now on; edit() changes it.`
        : `The model gave an empty answer ${context.progress.emptyRetries + 1} times (finish reason "${reason}").`,
      data: { finishReason: reason },
    },
  };
}

export function applyPostReasoning(context: AgentContext, outcome: HooksOutcome): Change {
  const { draft: before } = context;
  const { message = before?.message, value } = outcome;
  const isSame = message === before?.message;
  const draft: Draft | null =
    before && message && !isSame
      ? { message, finishReason: before.finishReason, ...(value !== undefined && { value }) }
      : before;
  return { at: outcome.at, draft, stop: outcome.stop ?? false, goto: outcome.goto ?? null };
}

/** True if the user interrupted the turn while hooks saw the answer that ends it, and they asked for nothing more. */
export function keepsAnswer({ draft, interruption, stop, goto, wanted }: AgentContext): boolean {
  if (!draft || interruption?.cause !== "user" || stop || goto) return false;
  return toolUsesOf(draft.message).length === 0 && (wanted === null || draft.value !== undefined);
}

export function applyPostSummary(context: AgentContext, outcome: HooksOutcome): Change {
  const change = applyPostReasoning(context, outcome);
  return { ...change, draft: withoutCalls(change.draft ?? null) };
}

/** The message of a draft, with how the model ended it unless it came to its end by itself. */
export function messageOf({ message, finishReason }: Draft): Msg {
  const { finishReason: _, ...rest } = message;
  return finishReason === "stop" || finishReason === "tool_calls" ? rest : { ...rest, finishReason };
}

function withoutNews(request: AgentContext["request"]): AgentContext["request"] {
  if (request.tookNews === undefined) return request;
  const { tookNews: _, ...rest } = request;
  return rest;
}

/** Stores the message and creates the records of its calls. Results of a goto answer them at once. If the turn stops here, calls
 *  that were cut off are answered too, so that no decision about them is required. */
export function storeDraft(context: AgentContext): Change {
  const { draft, at, transcript, stop } = context;
  if (!draft) return {};
  const brought = stop || !context.goto ? [] : context.goto;
  const answered = new Set(brought.flatMap((message) => toolResultsOf(message).map(({ id }) => id)));
  const calls = recordsOf(draft, at).filter(({ call }) => !answered.has(call.id));
  const isAnswer = calls.length === 0 && !context.goto && context.inbox.steering.length === 0;
  const { wanted } = context;
  const isOutput = wanted?.mode === "native" && draft.value !== undefined;
  const answer: Reason | undefined = isOutput ? "STRUCTURED_OUTPUT" : wanted ? undefined : "MODEL_STOP";
  const reason = stop ? "REASONING_STOP_REQUESTED" : isAnswer ? answer : undefined;
  const appended = append(context, [{ ...messageOf(draft), ...(reason && { reason }) }]);
  const stored: Change = {
    ...appended,
    draft: null,
    ...openBatch({ ...context, ...appended }, calls),
    ...(isOutput && isAnswer && { wanted: { ...wanted, value: draft.value } }),
    progress: {
      ...context.progress,
      batchAt: calls.length > 0 ? transcript.length : -1,
      exempt: false,
      emptyRetries: 0,
    },
    request: { ...withoutNews(context.request), attempt: 0, edits: [] },
  };
  const cut = cutBy(draft);
  return stop && cut ? closeCalls({ ...context, ...stored }, ({ call }) => truncatedCall(call, cut)) : stored;
}

/** Stores the messages of a goto; one more reasoning step may exceed the limit. */
export function acceptGoto(context: AgentContext): Change {
  const { progress } = context;
  const asking = context.transcript.at(-1);
  const order = asking ? toolUsesOf(asking).map(({ id }) => id) : [];
  return {
    ...append(context, resultsFirst(order, answersTo(order, context.goto ?? []))),
    goto: null,
    progress: { ...progress, gotos: progress.gotos + 1, iteration: progress.iteration + 1, exempt: true },
  };
}

/** True if the outcome requests a goto beyond the limit of the turn. A stop takes precedence over a goto. */
export function isGotoBeyondLimit(context: AgentContext, outcome: HooksOutcome): boolean {
  return outcome.goto !== undefined && !outcome.stop && context.progress.gotos >= context.settings.maxGotos;
}

/** Switches to the fallback model for the same step. */
export function fallBack({ request }: AgentContext): Change {
  return { request: { ...request, usesFallback: true, attempt: 0 } };
}

export function askAgain({ progress, request }: AgentContext): Change {
  return {
    progress: { ...progress, emptyRetries: progress.emptyRetries + 1 },
    request: { ...request, attempt: 0 },
    draft: null,
  };
}

/** Counts an iteration; it is over when all its results exist (py7). */
export function countRound({ progress }: AgentContext): Change {
  return { progress: { ...progress, iteration: progress.iteration + 1 } };
}

/** Fails the turn whose hooks ask for one step too many; their answer is stored as one that does not end the turn. */
export function refuseGoto(context: AgentContext): Change {
  return {
    ...storeDraft({ ...context, stop: false, goto: [] }),
    goto: null,
    failure: {
      code: "hook/goto-limit",
      message: `Hooks asked for another reasoning step more than ${context.settings.maxGotos} times in one turn.`,
    },
  };
}

/** The next time that running services wait for: the deadline of the model, or the first deadline or retry of the calls, epoch ms.
 *  Null if there is none. A retry that is due but exceeds the parallel limit waits for a running call instead. */
export function nextInstant({ at, calls, request }: AgentContext): number | null {
  let next = request.deadlineAt ?? Number.POSITIVE_INFINITY;
  for (const record of calls) {
    const { status } = record; // asked for each result of a batch: of most calls nothing else is read
    if (status === "running") next = Math.min(next, record.deadlineAt ?? next);
    else if (status === "approved" && (record.notBeforeAt ?? at) > at)
      next = Math.min(next, record.notBeforeAt!);
  }
  return next === Number.POSITIVE_INFINITY ? null : next;
}

/** Records an answer of the model. Once it has given one, a prompt that is too long may be made shorter again. */
export const recordedBy =
  (record: (context: AgentContext, outcome: ModelOutcome) => Change) =>
  (context: AgentContext, outcome: ModelOutcome): Change => {
    const change = record(context, outcome);
    const { compactions } = context.progress;
    if (!change.draft || change.failure) return change;
    const answered = { ...change, ...confirmedView(context) };
    if (!compactions?.isForced) return answered;
    return {
      ...answered,
      progress: { ...change.progress!, compactions: { ...compactions, isForced: false } },
    };
  };
