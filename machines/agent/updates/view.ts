import type { AgentContext, Change } from "../context.ts";
import { formAt } from "../prompt/shown.ts";
import {
  cutOf,
  hasOffloaded,
  headOf,
  shownSize,
  lengthOfView,
  sizeOfView,
  WHOLE,
  type Bound,
  type View,
} from "../prompt/view.ts";
import { sizeOfText } from "../../../src/core/message/size.ts";

/** The share of a bound that is left when it is passed. Several requests go by until it is passed again, and each is a prefix of the next. */
const SLACK = 0.75;

/** Returns the number of tokens that a provider counts where we count one; 1 until it has counted. */
export function ratioOf({ progress }: AgentContext): number {
  return progress.counted?.ratio ?? 1;
}

/** The bound of the configuration, in tokens of ours. */
function boundOf(context: AgentContext): Bound {
  const { maxMessages = Number.POSITIVE_INFINITY, maxTokens = Number.POSITIVE_INFINITY } =
    context.settings.window ?? {};
  return { messages: maxMessages, tokens: maxTokens / ratioOf(context) };
}

/** Returns the view without its beginning: the newest messages within the bound, with those of the user that the turn answers. */
export function shortened({ transcript, settings, progress }: AgentContext, view: View, bound: Bound): View {
  const { results } = settings;
  const cutAt = (within: Bound): Pick<View, "from" | "head"> => {
    const from = cutOf(transcript, view, within, results);
    return { from, head: headOf(transcript, from, progress.turnAt) };
  };
  const cut = cutAt(bound);
  const head = cut.head.map((index) => shownSize(transcript.at(index)!, formAt(view, index), results));
  const room = {
    messages: Math.max(1, bound.messages - head.length),
    tokens: bound.tokens - head.reduce((sum, size) => sum + size, 0),
  };
  return { ...view, ...(head.length > 0 ? cutAt(room) : cut) };
}

/** True if there are results that the model sees in part. Older messages were looked at in earlier rounds. */
function readsResults({ transcript, view, settings, progress }: AgentContext): boolean {
  if (view?.reads) return true;
  const isFirst = progress.iteration === 0 || progress.batchAt < 0;
  return hasOffloaded(transcript, view, settings.results, isFirst ? (view?.from ?? 0) : progress.batchAt);
}

/** Brings what the model sees up to date: once it has passed its bound, its beginning is cut off. */
export function boundView(context: AgentContext): Change {
  const { transcript, settings } = context;
  const { results, window } = settings;
  const reads = readsResults(context);
  const view = reads && !context.view?.reads ? { ...(context.view ?? WHOLE), reads } : context.view;
  const kept = view === context.view ? {} : { view };
  if (!window) return kept;
  const bound = boundOf(context);
  const isWithin =
    lengthOfView(transcript, view) <= bound.messages && sizeOfView(transcript, view, results) <= bound.tokens;
  if (isWithin) return kept;
  const rest = { messages: Math.ceil(bound.messages * SLACK), tokens: bound.tokens * SLACK };
  const cut = shortened(context, view ?? WHOLE, rest);
  return cut.from > (view?.from ?? 0) ? { view: cut } : kept;
}

/** Returns the size of the next prompt in tokens of the provider: an estimate until it has counted one. */
export function promptTokens(context: AgentContext): number {
  const { transcript, view, settings, request, progress } = context;
  const overhead = progress.counted?.overhead ?? 0;
  const messages = sizeOfView(transcript, view, settings.results) + sizeOfText(request.system);
  return Math.round((messages + overhead) * ratioOf(context));
}

/** The size of a prompt from which on it is made shorter; undefined if the model's window is unknown. */
export function threshold({ settings }: AgentContext): number | undefined {
  const { window, reserve } = settings.compaction!;
  return window === null ? undefined : window - reserve;
}

/** The index of the first message that the model has not seen: behind its last answer. */
export function unseenFrom({ transcript, view }: AgentContext): number {
  let index = transcript.length;
  while (index > (view?.from ?? 0) && transcript.at(index - 1)!.role !== "assistant") index--;
  return index;
}
