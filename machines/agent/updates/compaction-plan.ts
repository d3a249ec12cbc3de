import { sizeOfMessage, sizeOfText } from "../../../src/core/message/transcript.ts";
import { textOf, toolResultsOf } from "../../../src/core/message/msg.ts";
import type { Msg } from "../../../src/core/message/types.ts";
import type { AgentContext, CompactionCause, Compactions } from "../context.ts";
import type { CompactionSettings } from "../settings.ts";
import { formAt, hasOmittableMedia } from "../prompt/shown.ts";
import { shownSize, WHOLE, type Cut, type View } from "../prompt/view.ts";
import { batchCut, promptTokens, threshold, unseenFrom, ratioOf, shortened, showsMedia } from "./view.ts";
import { isEmptyAnswer } from "./reasoning.ts";

const NONE: Compactions = { count: 0, failures: 0, failedIn: null, isForced: false, overflow: null };
/** The size that the instruction of a summary and the summary before it need, in tokens. */
const INSTRUCTION = 1_000;
/** A long result counts at most so much in a request that holds the history as text, in tokens. */
const RESULT_AS_TEXT = 650;
/** The share of the room that clearing must leave free to be enough: half, so that the next compaction is not due soon. Each one changes
 *  the prompt, of which a provider's cache then serves only the beginning. */
const SLACK = 0.5;
/** The smallest share to which the part that is summed up at once may be halved. */
const LEAST_SHARE = 1 / 8;

/** Returns what is known of the compactions of a session. */
export const stateOf = ({ progress }: AgentContext): Compactions => progress.compactions ?? NONE;

/** The step of the loop in which a failed compaction is not tried again. */
export const stepOf = ({ progress }: AgentContext): string => `${progress.turn}:${progress.iteration}`;

/** The index before which results are shown without media after a compaction: that of the oldest one of the newest results that keep
 *  them. */
export function mediaCut(context: AgentContext): number {
  const { transcript, settings } = context;
  const { from, mediaTo = 0 } = context.view ?? WHOLE;
  const { keepMedia } = settings.results;
  if (keepMedia === null) return mediaTo;
  let left = keepMedia;
  let index = transcript.length;
  while (index > from && left > 0) {
    const results = toolResultsOf(transcript.at(--index)!);
    left -= results.filter((result) => hasOmittableMedia(result, settings.results)).length;
  }
  if (left > 0) return mediaTo;
  return Math.max(mediaTo, Math.min(index, unseenFrom(context)));
}

/** The messages up to which old results are cleared, and how many tokens that frees. */
function clearing(context: AgentContext): { readonly to: number; readonly freed: number } {
  const { transcript, settings } = context;
  const view = context.view ?? WHOLE;
  const { from, clearedTo } = view;
  const { clear } = settings.compaction!;
  if (!clear) return { to: clearedTo, freed: 0 };
  let index = unseenFrom(context);
  let room = clear.protect / ratioOf(context);
  while (index > from) {
    const message = transcript.at(index - 1)!;
    if (toolResultsOf(message).length > 0)
      room -= shownSize(message, formAt(view, index - 1), settings.results);
    if (room < 0) break;
    index--;
  }
  const after: View = { ...view, clearedTo: Math.max(clearedTo, index), mediaTo: mediaCut(context) };
  let freed = 0;
  for (let each = Math.max(from, clearedTo); each < Math.max(index, after.mediaTo!); each++) {
    const message = transcript.at(each)!;
    const sizeIn = (seen: View): number => shownSize(message, formAt(seen, each), settings.results);
    freed += sizeIn(view) - sizeIn(after);
  }
  return { to: after.clearedTo, freed: freed * ratioOf(context) };
}

/** The plan to make a prompt shorter: results are cleared, or messages summed up, up to the index `to`; or the newest results are cut. */
export type Plan =
  | { readonly kind: "cut"; readonly cut: Cut }
  | { readonly kind: "clear"; readonly to: number }
  | { readonly kind: "summarise"; readonly to: number; readonly isPart: boolean };

/** The size of a message in a request that holds the history as text. */
function sizeAsText(message: Msg): number {
  const size = sizeOfMessage(message);
  return toolResultsOf(message).length > 0 ? Math.min(size, RESULT_AS_TEXT) : size;
}

/** Returns the part of a request that may be history, in tokens of the provider. A prompt that was refused is more than the window. */
function roomForText(context: AgentContext, { window, reserve }: CompactionSettings): number {
  if (window !== null) return Math.max(window - reserve - INSTRUCTION, window / 4);
  return causeOf(context) === "overflow" ? promptTokens(context) / 2 : Number.POSITIVE_INFINITY;
}

/** The largest part of the messages up to `to` that one request can hold as text; at least the first one that may be cut off. */
export function partUpTo(context: AgentContext, to: number, share: number): number {
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

/** Returns the size of the newest messages that are not summed up, in tokens of the provider: nothing for a persona that takes over. */
function keptOf(context: AgentContext): number {
  const { keepRecent } = context.settings.compaction!;
  const cause = causeOf(context);
  if (cause === "handoff") return 0;
  return cause === "overflow" ? Math.min(keepRecent, promptTokens(context) / 4) : keepRecent;
}

/** Returns which messages a summary can be made of; undefined if of none. */
export function planSummary(context: AgentContext, isSeparate: boolean, share: number): Plan | undefined {
  const view = context.view ?? WHOLE;
  const bound = { messages: Number.POSITIVE_INFINITY, tokens: keptOf(context) / ratioOf(context) };
  const { from } = shortened(context, view, bound);
  const to = isSeparate ? partUpTo(context, from, share) : from;
  return to > view.from ? { kind: "summarise", to, isPart: to < from } : undefined;
}

/** Returns what can be done to make the prompt shorter; undefined if nothing can. */
export function planOf(context: AgentContext, cause: CompactionCause, share = 1): Plan | undefined {
  const settings = context.settings.compaction!;
  const isAsked = cause === "manual" || cause === "handoff";
  const cut = isAsked ? undefined : batchCut(context, cause === "overflow");
  if (cut) return { kind: "cut", cut };
  const { to, freed } = clearing(context);
  // whether clearing is enough for a refused prompt cannot be known without the window
  const isBlind = cause === "overflow" && settings.window === null && settings.summarise !== "never";
  const clears = settings.clear !== null && freed >= settings.clear.minimum && !isBlind;
  if (!isAsked && clears) {
    const tokens = promptTokens(context);
    const size = cause === "overflow" ? Math.max(tokens, settings.window ?? 0) : tokens;
    const isDown = cause === "overflow" || settings.summarise === "threshold";
    const goal = isDown ? settings.target : (threshold(context) ?? 0) * SLACK;
    if (settings.summarise === "never" || size - freed <= goal) return { kind: "clear", to };
  }
  if (settings.summarise === "never" && !isAsked) return undefined;
  return planSummary(context, settings.isSeparate || cause === "overflow", share);
}

/** Returns why the prompt is to be made shorter. */
export function causeOf(context: AgentContext): CompactionCause {
  const { overflow, asked } = stateOf(context);
  if (overflow) return "overflow";
  if (!asked) return "threshold";
  return asked.isHandoff ? "handoff" : "manual";
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
  if (failure?.data?.["status"] === 413 && showsMedia(context)) return false; // its bytes are too many, not its tokens
  return planOf(context, "overflow") !== undefined;
}

/** True if it is enough to show old results as one line each, or the newest ones in part. */
export function clearingSuffices(context: AgentContext): boolean {
  const kind = planOf(context, causeOf(context))?.kind;
  return kind === "clear" || kind === "cut";
}

/** True if nothing can make the prompt shorter. */
export const hasNothingToGain = (context: AgentContext): boolean =>
  planOf(context, causeOf(context)) === undefined;

/** True if the model has refused the request as too long. */
export const isTooLong = ({ failure }: AgentContext): boolean => failure?.code === "model/context-length";

/** True if the answer can take the place of the messages: it says something, and is shorter than they are. */
export function isUsefulSummary(context: AgentContext): boolean {
  const { draft, failure, transcript, view, settings, progress } = context;
  if (failure !== null || draft === null || isEmptyAnswer(context)) return false;
  const seen = view ?? WHOLE;
  const { from, summary } = seen;
  const size = transcript
    .slice(from, progress.compacting!.to)
    .reduce((sum, each, at) => sum + shownSize(each, formAt(seen, from + at), settings.results), 0);
  return sizeOfText(textOf(draft.message)) < size + (summary ? sizeOfMessage(summary) : 0);
}

/** True if hooks have said that there is to be no summary, or have given one themselves. */
export const asksNoModel = ({ draft, progress }: AgentContext): boolean =>
  draft !== null || progress.compacting!.isUnwanted === true;

/** True if the model has refused the request for what is in it, such as an image that it cannot read. */
const isRefused = ({ failure }: AgentContext): boolean =>
  failure?.code === "model/bad-request" || failure?.code === "model/content-filter";

/** True if the summary may be asked for once more, with the history as text instead of as a conversation. It is shorter, and has no images,
 *  sounds and films. */
export function mayAskSeparately(context: AgentContext): boolean {
  const { compacting } = context.progress;
  const mayHelp = context.failure === null || isTooLong(context) || isRefused(context);
  return !compacting!.isSeparate && mayHelp;
}

/** True if less may be summed up at once, because the request for the summary is itself too long. */
export function mayHalve(context: AgentContext): boolean {
  const { share, to } = context.progress.compacting!;
  if (!isTooLong(context) || share <= LEAST_SHARE) return false;
  return partUpTo(context, to, share / 2) < to;
}
