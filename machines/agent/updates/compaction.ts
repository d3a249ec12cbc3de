import { BYPASS_KEY } from "../../../src/message/create.ts";
import { sizeOfMessage, sizeOfText } from "../../../src/message/size.ts";
import { textOf, toolResultsOf } from "../../../src/message/query.ts";
import type { ErrorInfo } from "../../../src/base/error.ts";
import type { Msg } from "../../../src/message/types.ts";
import type {
  AgentContext,
  Change,
  Compaction,
  CompactionCause,
  Compactions,
  CompactionSettings,
} from "../context.ts";
import type { ModelOutcome } from "../services.ts";
import { headOf, shownSize, sizeOfView, WHOLE } from "../view.ts";
import { makeMessage } from "./messages.ts";
import { beginAttempt, isEmptyAnswer, recordSummary } from "./reasoning.ts";
import { ratioOf, shortened } from "./view.ts";

/** The name of the message that stands for what was summed up. */
export const SUMMARY_NAME = "compaction_summary";

const NONE: Compactions = { count: 0, failures: 0, failedIn: null, isForced: false, overflow: null };
/** What the instruction of a summary and the summary before it need, in tokens. */
const INSTRUCTION = 1_000;
/** A long result counts at most so much in a request that holds the history as text, in tokens. */
const RESULT_AS_TEXT = 650;
/** Clearing is enough if it leaves a quarter free, so that the next compaction is not due at once. */
const SLACK = 0.75;
/** How often the part that is summed up at once may be halved. */
const LEAST_SHARE = 1 / 8;

const stateOf = ({ progress }: AgentContext): Compactions => progress.compactions ?? NONE;

function changed(context: AgentContext, change: Partial<Compactions>, compacting: Compaction | null): Change {
  return {
    progress: { ...context.progress, compactions: { ...stateOf(context), ...change }, compacting },
  };
}

/** The step of the loop in which a failed compaction is not tried again. */
const stepOf = ({ progress }: AgentContext): string => `${progress.turn}:${progress.iteration}`;

/** Returns the size of the next prompt in tokens of the provider: an estimate until it has counted one. */
export function promptTokens(context: AgentContext): number {
  const { transcript, view, settings, request, progress } = context;
  const overhead = progress.counted?.overhead ?? 0;
  const messages = sizeOfView(transcript, view, settings.results) + sizeOfText(request.system);
  return Math.round((messages + overhead) * ratioOf(context));
}

/** The size of a prompt from which on it is made shorter; undefined if the model's window is unknown. */
function threshold({ settings }: AgentContext): number | undefined {
  const { window, reserve } = settings.compaction!;
  return window === null ? undefined : window - reserve;
}

/** The messages up to which old results are cleared, and how many tokens that frees. */
function clearing(context: AgentContext): { readonly to: number; readonly freed: number } {
  const { transcript, settings } = context;
  const { from, clearedTo } = context.view ?? WHOLE;
  const { clear } = settings.compaction!;
  if (!clear) return { to: clearedTo, freed: 0 };
  let index = transcript.length;
  while (index > from && toolResultsOf(transcript.at(index - 1)!).length > 0) index--; // the model has not seen them
  let room = clear.protect / ratioOf(context);
  while (index > from) {
    const message = transcript.at(index - 1)!;
    if (toolResultsOf(message).length > 0) room -= shownSize(message, false, settings.results);
    if (room < 0) break;
    index--;
  }
  let freed = 0;
  for (let each = Math.max(from, clearedTo); each < index; each++) {
    const message = transcript.at(each)!;
    freed += shownSize(message, false, settings.results) - shownSize(message, true, settings.results);
  }
  return { to: Math.max(clearedTo, index), freed: freed * ratioOf(context) };
}

type Plan =
  | { readonly kind: "clear"; readonly to: number }
  | { readonly kind: "summarise"; readonly to: number; readonly isPart: boolean };

/** The size of a message in a request that holds the history as text. */
function sizeAsText(message: Msg): number {
  const size = sizeOfMessage(message);
  return toolResultsOf(message).length > 0 ? Math.min(size, RESULT_AS_TEXT) : size;
}

/** How much of a request may be history, in tokens of the provider. A prompt that was refused is more than the window. */
function roomForText(context: AgentContext, { window, reserve }: CompactionSettings): number {
  if (window !== null) return Math.max(window - reserve - INSTRUCTION, window / 4);
  return causeOf(context) === "overflow" ? promptTokens(context) / 2 : Number.POSITIVE_INFINITY;
}

/** The largest part of the messages up to `to` that one request can hold as text; at least the first one that may be cut off. */
function partUpTo(context: AgentContext, to: number, share: number): number {
  const { transcript, settings } = context;
  const { from, summary } = context.view ?? WHOLE;
  const room = roomForText(context, settings.compaction!) / ratioOf(context);
  let left = (room - (summary ? sizeOfMessage(summary) : 0)) * share;
  let end = from;
  for (let index = from; index < to; index++) {
    left -= sizeAsText(transcript.at(index)!);
    if (left < 0 && end > from) return end;
    const next = transcript.at(index + 1);
    if (next && toolResultsOf(next).length === 0) end = index + 1;
  }
  return Math.min(to, Math.max(end, from));
}

function planSummary(context: AgentContext, isSeparate: boolean, share: number): Plan | undefined {
  const { keepRecent } = context.settings.compaction!;
  const view = context.view ?? WHOLE;
  const isTooMuch = causeOf(context) === "overflow";
  const kept = isTooMuch ? Math.min(keepRecent, promptTokens(context) / 4) : keepRecent;
  const bound = { messages: Number.POSITIVE_INFINITY, tokens: kept / ratioOf(context) };
  const { from } = shortened(context, view, bound);
  const to = isSeparate ? partUpTo(context, from, share) : from;
  return to > view.from ? { kind: "summarise", to, isPart: to < from } : undefined;
}

/** Returns what can be done to make the prompt shorter; undefined if nothing can. */
function planOf(context: AgentContext, cause: CompactionCause, share = 1): Plan | undefined {
  const settings = context.settings.compaction!;
  const { to, freed } = clearing(context);
  // whether clearing is enough for a refused prompt cannot be known without the window
  const isBlind = cause === "overflow" && settings.window === null && settings.summarise !== "never";
  const clears = settings.clear !== null && freed >= settings.clear.minimum && !isBlind;
  if (cause !== "manual" && clears) {
    const tokens = promptTokens(context);
    const size = cause === "overflow" ? Math.max(tokens, settings.window ?? 0) : tokens;
    const isDown = cause === "overflow" || settings.summarise === "threshold";
    const goal = isDown ? settings.target : (threshold(context) ?? 0) * SLACK;
    if (settings.summarise === "never" || size - freed <= goal) return { kind: "clear", to };
  }
  if (settings.summarise === "never" && cause !== "manual") return undefined;
  return planSummary(context, settings.isSeparate || cause === "overflow", share);
}

function causeOf(context: AgentContext): CompactionCause {
  const { overflow, asked } = stateOf(context);
  return overflow ? "overflow" : asked ? "manual" : "threshold";
}

/** True if the prompt must become shorter before the model is called, and can. */
export function mustCompact(context: AgentContext): boolean {
  const { compaction } = context.settings;
  if (!compaction) return false;
  const { overflow, asked, failures, failedIn } = stateOf(context);
  if (overflow || asked) return planOf(context, causeOf(context)) !== undefined;
  const limit = threshold(context);
  if (!compaction.auto || limit === undefined || failedIn === stepOf(context)) return false;
  if (failures >= compaction.maxFailures && failedIn?.startsWith(`${context.progress.turn}:`)) return false;
  return promptTokens(context) > limit && planOf(context, "threshold") !== undefined;
}

/** True if only a part was summed up of what the caller has asked for. */
export const summarisesMore = (context: AgentContext): boolean => stateOf(context).asked !== undefined;

/** True if the model has refused the prompt as too long, or has returned nothing because it is, and it can be made shorter. */
export function overflowed(context: AgentContext): boolean {
  const { failure, settings } = context;
  const { compaction } = settings;
  if (!compaction?.auto || stateOf(context).isForced) return false;
  const isSilent =
    failure === null &&
    context.request.finishReason === "length" &&
    isEmptyAnswer(context) &&
    compaction.window !== null &&
    promptTokens(context) >= compaction.window;
  if (!isSilent && failure?.code !== "model/context-length") return false;
  return planOf(context, "overflow") !== undefined;
}

/** Notes that the prompt is too long. */
export function noteOverflow(context: AgentContext): Change {
  const overflow = context.failure ?? {
    code: "model/context-length" as const,
    message: "The model returned nothing, because the prompt fills its context window.",
    retry: false,
  };
  const change = changed(context, { isForced: true, overflow }, null);
  return {
    ...change,
    progress: { ...change.progress!, ...countedAtLeast(context) },
    failure: null,
    draft: null,
  };
}

/** A prompt that was refused has more tokens than the window: if we counted fewer, we count too few. */
function countedAtLeast(context: AgentContext): Pick<AgentContext["progress"], "counted"> {
  const { window } = context.settings.compaction!;
  const tokens = promptTokens(context);
  if (window === null || tokens >= window) return {};
  const { overhead = 0 } = context.progress.counted ?? {};
  return { counted: { ratio: ratioOf(context) * (window / tokens) * 1.05, overhead } };
}

/** The caller asks for a compaction. */
export function askCompaction(
  context: AgentContext,
  { at, instructions }: { readonly at: number; readonly instructions?: string },
): Change {
  return {
    ...changed(context, { asked: { ...(instructions !== undefined && { instructions }) } }, null),
    at,
  };
}

export const clearingSuffices = (context: AgentContext): boolean =>
  planOf(context, causeOf(context))?.kind === "clear";

export const hasNothingToGain = (context: AgentContext): boolean =>
  planOf(context, causeOf(context)) === undefined;

/** Notes what a compaction did, and how large the prompt is with it. */
function ended(
  context: AgentContext,
  change: Change,
  last: Omit<NonNullable<Compactions["last"]>, "tokensAfter">,
): Change {
  const tokensAfter = promptTokens({ ...context, ...change });
  const progress = change.progress!;
  return {
    ...change,
    progress: { ...progress, compactions: { ...progress.compactions!, last: { ...last, tokensAfter } } },
  };
}

/** Shows old results as one line each, and ends the compaction. */
export function clearResults(context: AgentContext): Change {
  const cause = causeOf(context);
  const plan = planOf(context, cause)!;
  const { count } = stateOf(context);
  const change = {
    ...changed(context, { count: count + 1, failures: 0, overflow: null }, null),
    view: { ...(context.view ?? WHOLE), clearedTo: plan.to, reads: true },
    request: { ...context.request, attempt: 0, edit: null },
  };
  return ended(context, change, { cause, did: "clear", tokensBefore: promptTokens(context) });
}

/** Begins a summary of the messages that are to be left out. */
export function beginCompaction(context: AgentContext): Change {
  const cause = causeOf(context);
  const share = context.progress.compacting?.share ?? 1;
  const isSeparate = context.settings.compaction!.isSeparate || cause === "overflow" || share < 1;
  const { to, isPart } = planSummary(context, isSeparate, share) as Extract<Plan, { kind: "summarise" }>;
  return {
    ...changed(context, {}, { cause, to, isPart, isSeparate, share, tokensBefore: promptTokens(context) }),
    request: { ...context.request, attempt: 0, edit: null, notBeforeAt: null },
  };
}

/** Begins the request for a summary, which is no step of the loop. */
export function beginCompactionAttempt(context: AgentContext): Change {
  const change = beginAttempt(context);
  const { iterations } = context.progress.stats;
  const progress = change.progress!;
  return { ...change, progress: { ...progress, stats: { ...progress.stats, iterations } } };
}

/** Records the answer to the request for a summary. Its prompt is another one than that of the conversation. */
export function recordCompaction(context: AgentContext, outcome: ModelOutcome): Change {
  const { counted: _, ...counts } = outcome;
  return recordSummary(context, counts);
}

const isTooLong = ({ failure }: AgentContext): boolean => failure?.code === "model/context-length";

/** True if the answer can take the place of the messages: it says something, and is shorter than they are. */
export function isUsefulSummary(context: AgentContext): boolean {
  const { draft, failure, transcript, view, settings, progress } = context;
  if (failure !== null || draft === null || isEmptyAnswer(context)) return false;
  const { from, clearedTo, summary } = view ?? WHOLE;
  const size = transcript
    .slice(from, progress.compacting!.to)
    .reduce((sum, each, at) => sum + shownSize(each, from + at < clearedTo, settings.results), 0);
  return sizeOfText(textOf(draft.message)) < size + (summary ? sizeOfMessage(summary) : 0);
}

/** True if the summary may be asked for once more, with the history as text instead of as a conversation. */
export function mayAskSeparately(context: AgentContext): boolean {
  const { compacting } = context.progress;
  return !compacting!.isSeparate && (context.failure === null || isTooLong(context));
}

/** Asks for the summary with the history as text. */
export function askSeparately(context: AgentContext): Change {
  const { compacting } = context.progress;
  const plan = planSummary(context, true, 1) as Extract<Plan, { kind: "summarise" }>;
  return {
    ...changed(context, {}, { ...compacting!, to: plan.to, isPart: plan.isPart, isSeparate: true }),
    request: { ...context.request, attempt: 0 },
  };
}

/** True if less may be summed up at once, because the request for the summary is itself too long. */
export function mayHalve(context: AgentContext): boolean {
  const { share, to } = context.progress.compacting!;
  if (!isTooLong(context) || share <= LEAST_SHARE) return false;
  return partUpTo(context, to, share / 2) < to;
}

/** Sums up half as much at once. */
export function halvePart(context: AgentContext): Change {
  const compacting = context.progress.compacting!;
  const share = compacting.share / 2;
  return {
    ...changed(
      context,
      {},
      { ...compacting, share, to: partUpTo(context, compacting.to, share), isPart: true },
    ),
    request: { ...context.request, attempt: 0 },
  };
}

/** Lets the summary take the place of the messages that it is about. */
export function applyCompaction(context: AgentContext): Change {
  const { draft, progress, transcript } = context;
  const { to, isPart, cause, tokensBefore } = progress.compacting!;
  const state = stateOf(context);
  const { count } = state;
  const view = context.view ?? WHOLE;
  const summary: Msg = {
    ...makeMessage(context, "user", [{ type: "text", text: summaryText(textOf(draft!.message)) }]),
    name: SUMMARY_NAME,
    metadata: { [BYPASS_KEY]: true, compaction: { n: count + 1, from: view.from, to, cause, tokensBefore } },
  };
  const head =
    state.asked !== undefined
      ? [] // between two turns every message is answered
      : headOf(transcript, to, progress.turnAt);
  const reads = view.reads === true || transcript.slice(0, to).some((each) => toolResultsOf(each).length > 0);
  const { asked, ...rest } = state;
  const change: Change = {
    progress: {
      ...progress,
      made: progress.made + 1,
      compactions: {
        ...rest,
        ...(isPart && asked && { asked }),
        count: count + 1,
        failures: 0,
        overflow: isPart ? state.overflow : null,
      },
      compacting: null,
    },
    view: { ...view, from: to, head, summary, ...(reads && { reads }) },
    draft: null,
    failure: null,
    request: { ...context.request, attempt: 0, edit: null, usesFallback: false },
  };
  return ended(context, change, { cause, did: "summarise", tokensBefore });
}

function summaryText(summary: string): string {
  return `The conversation up to here was summed up, and its messages are no longer shown:\n\n${summary}`;
}

function problemOf({ failure }: AgentContext): ErrorInfo {
  if (!failure)
    return {
      code: "model/empty",
      message: "The model gave no summary, or one that is not shorter than what it sums up.",
    };
  const { retry: _, ...error } = failure;
  return error;
}

/** Ends a compaction that changed nothing. What the prompt was too long for is the failure of the turn. */
export function giveUpCompaction(context: AgentContext): Change {
  const { asked: _, ...state } = stateOf(context);
  const { compacting } = context.progress;
  const tokensBefore = compacting?.tokensBefore ?? promptTokens(context);
  const change: Change = {
    progress: {
      ...context.progress,
      compactions: {
        ...state,
        failures: Math.min(state.failures + 1, context.settings.compaction!.maxFailures),
        failedIn: stepOf(context),
        overflow: null,
      },
      compacting: null,
    },
    draft: null,
    failure: state.overflow,
    request: { ...context.request, attempt: 0, notBeforeAt: null },
  };
  return ended(context, change, {
    cause: causeOf(context),
    did: "nothing",
    tokensBefore,
    ...(compacting && { error: problemOf(context) }),
  });
}

/** Ends a compaction that was interrupted: nothing has changed. */
export function dropCompaction(context: AgentContext): Change {
  const { asked: _, ...state } = stateOf(context);
  return {
    progress: { ...context.progress, compactions: { ...state, overflow: null }, compacting: null },
    draft: null,
    failure: null,
  };
}

/** Ends a compaction between two turns that was interrupted. */
export function cancelCompaction(context: AgentContext): Change {
  return { ...dropCompaction(context), interruption: null };
}

/** Records an answer of the model. Once it has given one, a prompt that is too long may be made shorter again. */
export const recordedBy =
  (record: (context: AgentContext, outcome: ModelOutcome) => Change) =>
  (context: AgentContext, outcome: ModelOutcome): Change => {
    const change = record(context, outcome);
    const { compactions } = context.progress;
    if (!change.draft || change.failure || !compactions?.isForced) return change;
    return { ...change, progress: { ...change.progress!, compactions: { ...compactions, isForced: false } } };
  };
