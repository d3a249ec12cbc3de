import { textOf, toolResultsOf } from "../../../src/core/message/msg.ts";
import type { ErrorInfo } from "../../../src/core/base/error.ts";
import { BYPASS_KEY, type Msg } from "../../../src/core/message/types.ts";
import {
  makeMessage,
  type AgentContext,
  type Change,
  type Compaction,
  type Compactions,
  type Draft,
} from "../context.ts";
import { declare } from "../facts.ts";
import type { HooksOutcome, ModelOutcome } from "../services.ts";
import { headOf, WHOLE, type View } from "../prompt/view.ts";
import { promptTokens, ratioOf, withCut } from "./view.ts";
import {
  causeOf,
  mediaCut,
  partUpTo,
  planOf,
  planSummary,
  stateOf,
  stepOf,
  type Plan,
} from "./compaction-plan.ts";
import { beginAttempt, recordSummary } from "./reasoning.ts";

/** The name of the message that stands for what was summed up. */
export const SUMMARY_NAME = "compaction_summary";
/** The words before a summary, which say what it is. */
export const SUMMARY_HEAD =
  "The conversation up to here was summed up, and its messages are no longer shown:\n\n";

function changed(context: AgentContext, change: Partial<Compactions>, compacting: Compaction | null): Change {
  return {
    progress: { ...context.progress, compactions: { ...stateOf(context), ...change }, compacting },
  };
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

/** Notes what a compaction did, and how large the prompt is with it. */
function ended(
  context: AgentContext,
  change: Change,
  last: Omit<NonNullable<Compactions["last"]>, "tokensAfter">,
): Change {
  const tokensAfter = promptTokens({ ...context, ...change });
  const progress = change.progress!;
  const { cause, did, tokensBefore, error } = last;
  const isToldOf = context.progress.compacting || did !== "nothing"; // one that never began and did nothing is not an event
  const begun: AgentContext = {
    ...context,
    ...(isToldOf &&
      !context.progress.compacting &&
      declare(context, { type: "compaction.start", cause, tokensBefore })),
  };
  return {
    ...change,
    ...(isToldOf && declare(begun, { type: "compaction.end", did, tokensAfter, ...(error && { error }) })),
    progress: { ...progress, compactions: { ...progress.compactions!, last: { ...last, tokensAfter } } },
  };
}

/** Returns the media that a compaction leaves out. */
function mediaLeftOut(context: AgentContext): Pick<View, "mediaTo"> {
  const mediaTo = mediaCut(context);
  return mediaTo > 0 ? { mediaTo } : {};
}

/** Returns the changes of the view. */
function shorterBy(context: AgentContext, plan: Exclude<Plan, { kind: "summarise" }>): Partial<View> {
  if (plan.kind === "clear") return { clearedTo: plan.to, ...mediaLeftOut(context) };
  const { from, clearedTo, cut = [] } = context.view ?? WHOLE;
  return { cut: withCut(cut, plan.cut, Math.max(from, clearedTo)) };
}

/** Shows old results as one line each, or the newest ones in part, and ends the compaction. */
export function clearResults(context: AgentContext): Change {
  const cause = causeOf(context);
  const plan = planOf(context, cause) as Exclude<Plan, { kind: "summarise" }>;
  const { count } = stateOf(context);
  const change = {
    ...changed(context, { count: count + 1, failures: 0, overflow: null }, null),
    view: { ...(context.view ?? WHOLE), ...shorterBy(context, plan), reads: true },
    request: { ...context.request, attempt: 0, edits: [] },
  };
  return ended(context, change, { cause, did: "clear", tokensBefore: promptTokens(context) });
}

/** Begins a summary of the messages that are to be left out. */
export function beginCompaction(context: AgentContext): Change {
  const cause = causeOf(context);
  const share = context.progress.compacting?.share ?? 1;
  const isSeparate = context.settings.compaction!.isSeparate || cause === "overflow" || share < 1;
  const { to, isPart } = planSummary(context, isSeparate, share) as Extract<Plan, { kind: "summarise" }>;
  const tokensBefore = promptTokens(context);
  const { instructions } = stateOf(context).asked ?? {};
  const asked = instructions === undefined ? {} : { instructions };
  const goesOn = !!context.progress.compacting;
  return {
    ...(!goesOn && declare(context, { type: "compaction.start", cause, tokensBefore })),
    ...changed(context, {}, { ...asked, cause, to, isPart, isSeparate, share, tokensBefore }),
    request: { ...context.request, attempt: 0, edits: [], notBeforeAt: null },
  };
}

/** Takes what hooks want of the summary. What they keep of the messages stays: the rest is not part of something larger. */
export function applyPreCompact(context: AgentContext, outcome: HooksOutcome): Change {
  const { to, summary, ...wishes } = outcome.compaction ?? {};
  const { compacting } = context.progress;
  const bound = to === undefined ? {} : { to, isPart: false };
  return {
    ...changed(context, {}, { ...compacting!, ...wishes, ...bound }),
    at: outcome.at,
    draft: summary === undefined ? null : summaryDraft(context, summary),
  };
}

/** Takes the summary as hooks have left it. */
export function applyPostCompact(context: AgentContext, { at, summary }: HooksOutcome): Change {
  return { at, ...(summary !== undefined && { draft: summaryDraft(context, summary) }) };
}

function summaryDraft(context: AgentContext, text: string): Draft {
  return { message: makeMessage(context, "assistant", [{ type: "text", text }]), finishReason: "stop" };
}

/** Begins the request for a summary, which is not a step of the loop. */
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

/** Asks for the summary with the history as text. */
export function askSeparately(context: AgentContext): Change {
  const { compacting } = context.progress;
  const plan = planSummary(context, true, 1) as Extract<Plan, { kind: "summarise" }>;
  const to = Math.min(plan.to, compacting!.to);
  const isPart = to < compacting!.to;
  return {
    ...changed(context, {}, { ...compacting!, to, isPart, isSeparate: true }),
    request: { ...context.request, attempt: 0 },
  };
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
  const isAnswered = cause === "manual" && context.outcome?.reason !== "ERROR";
  const head = isAnswered ? [] : headOf(transcript, to, progress.turnAt);
  const { mediaTo } = mediaLeftOut(context);
  const hasLeftOut = transcript
    .slice(0, Math.max(to, mediaTo ?? 0))
    .some((each) => toolResultsOf(each).length > 0);
  const reads = view.reads === true || hasLeftOut;
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
    view: { ...view, from: to, head, summary, ...mediaLeftOut(context), ...(reads && { reads }) },
    draft: null,
    failure: null,
    request: { ...context.request, attempt: 0, edits: [], usesFallback: false },
  };
  return withGain(context, ended(context, change, { cause, did: "summarise", tokensBefore }));
}

/** A summary that the prompt needs, and that does not bring it so much nearer to the size it aims at, counts as failed. */
const LEAST_GAIN = 1 / 4;

/** Notes of a summary that was to make room, and has made hardly any, that it has failed: the next request would need another one. */
function withGain(context: AgentContext, change: Change): Change {
  const { isPart } = context.progress.compacting!;
  const compactions = change.progress!.compactions!;
  const { cause, tokensBefore, tokensAfter } = compactions.last!;
  const { target, maxFailures } = context.settings.compaction!;
  const isNeeded = cause === "threshold" || cause === "overflow";
  const isEnough = tokensBefore - tokensAfter >= (tokensBefore - target) * LEAST_GAIN;
  if (!isNeeded || isPart || isEnough) return change;
  const failures = Math.min(stateOf(context).failures + 1, maxFailures);
  const failed = { ...compactions, failures, failedIn: stepOf(context) };
  return { ...change, progress: { ...change.progress!, compactions: failed } };
}

function summaryText(summary: string): string {
  return `${SUMMARY_HEAD}${summary}`;
}

function problemOf({ failure }: AgentContext): ErrorInfo {
  if (!failure)
    return {
      code: "model/empty",
      message: "There is no summary, or it is not shorter than what it sums up.",
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
    ...(compacting && !compacting.isUnwanted && { error: problemOf(context) }),
  });
}

/** Ends a compaction that was interrupted: nothing has changed. */
export function dropCompaction(context: AgentContext): Change {
  const { asked: _, ...state } = stateOf(context);
  const { compacting } = context.progress;
  return {
    ...(compacting &&
      declare(context, { type: "compaction.end", did: "nothing", tokensAfter: compacting.tokensBefore })),
    progress: { ...context.progress, compactions: { ...state, overflow: null }, compacting: null },
    draft: null,
    failure: null,
  };
}

/** Ends a compaction between two turns that was interrupted. */
export function cancelCompaction(context: AgentContext): Change {
  return { ...dropCompaction(context), interruption: null };
}
