import type { AgentContext, Change } from "../context.ts";
import { formAt, mediaOf, shown } from "../prompt/shown.ts";
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
  type Cut,
  type Omitted,
} from "../prompt/view.ts";
import { sizeOfText, sizeOfContent } from "../../../src/core/message/transcript.ts";
import { isMediaBlock, toolResultsOf, hasBlock } from "../../../src/core/message/msg.ts";
import type { MediaBlock, Msg } from "../../../src/core/message/types.ts";

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

/** The size that a summary of all that came before needs, in tokens. */
const SUMMARY = 1_000;
/** Results are cut to this share of what there is room for, so that the turn goes on a while. */
const SHARE = 0.5;
/** No result is cut to less than one line, in tokens. */
const LINE = 40;

/** The size that each result may have, so that all of them together have `room`. */
function shareOf(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = left / (sizes.length - index);
    if (size >= share) return Math.max(LINE, Math.floor(share));
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the cut of the results that the model has not seen, if they alone are too much for a prompt. No summary of what came before
 *  makes room for them. Undefined if they are not, or cannot be made shorter. */
export function batchCut(context: AgentContext, isRefused: boolean): Cut | undefined {
  const { transcript, settings, request, progress } = context;
  const view = context.view ?? WHOLE;
  const from = unseenFrom(context);
  const batch = transcript.slice(from);
  const { exclude } = settings.results;
  const results = batch.flatMap(toolResultsOf).filter(({ name }) => !exclude.includes(name));
  if (results.length === 0) return undefined;
  // how much a prompt may have that was refused cannot be known without the window
  const limit = threshold(context) ?? (isRefused ? promptTokens(context) / 2 : Number.POSITIVE_INFINITY);
  const sizeAt = (index: number): number =>
    shownSize(transcript.at(index)!, formAt(view, index), settings.results);
  const all = batch.reduce((sum, _, at) => sum + sizeAt(from + at), 0);
  const asked = from > 0 ? sizeAt(from - 1) : 0;
  const head = headOf(transcript, from, progress.turnAt).reduce((sum, index) => sum + sizeAt(index), 0);
  const rest = SUMMARY + sizeOfText(request.system) + (progress.counted?.overhead ?? 0) + asked + head;
  const room = limit / ratioOf(context) - rest;
  if (all <= room) return undefined;
  const tokens = shareOf(
    results.map(({ output }) => sizeOfContent(output)),
    Math.max(0, room * SHARE),
  );
  const before = view.cut?.findLast((cut) => cut.from === from && cut.to === transcript.length);
  const isShorter = tokens < (before?.tokens ?? Number.POSITIVE_INFINITY);
  return isShorter ? { from, to: transcript.length, tokens } : undefined;
}

/** The cuts that still show in a view, with one more. */
export function withCut(cuts: readonly Cut[], cut: Cut, hiddenTo: number): readonly Cut[] {
  return [...cuts.filter(({ from, to }) => to > hiddenTo && from !== cut.from), cut];
}

/** A shorter message is not what makes a prompt too long, in tokens. */
const LONG = 1_000;
/** The maximum length of the reason of a provider that is retained. */
const REASON = 300;

/** True if the model's provider may have refused what is in the request: not a name, an address or an option alone. */
function isRefused({ failure }: AgentContext): boolean {
  if (!failure || failure.retry === undefined || failure.data?.["refused"] === "model") return false;
  const { code } = failure;
  return code === "model/bad-request" || code === "model/content-filter" || code === "model/context-length";
}

function mediaIn({ content }: Msg): readonly MediaBlock[] {
  return content.flatMap((block) => {
    if (isMediaBlock(block)) return [block];
    return block.type === "tool_result" ? mediaOf(block) : [];
  });
}

/** The images, sounds and films that the model sees, by the indexes of their messages. */
function seenMedia({ transcript, view, settings }: AgentContext): ReadonlyMap<number, readonly MediaBlock[]> {
  const seen = view ?? WHOLE;
  const found = new Map<number, readonly MediaBlock[]>();
  const look = (index: number): void => {
    const message = transcript.at(index);
    if (!message || message.content.every(({ type }) => type === "text")) return;
    const media = mediaIn(shown(message, formAt(seen, index), settings.results));
    if (media.length > 0) found.set(index, media);
  };
  for (const index of seen.head) look(index);
  for (let index = seen.from; index < transcript.length; index++) look(index);
  return found;
}

/** True if images, sounds and films are in the prompt. */
export const showsMedia = (context: AgentContext): boolean => seenMedia(context).size > 0;

/** True if the model's provider has refused the request, maybe for an image, a sound or a film in it: it may be asked without. Each time
 *  there are fewer of them, so that this has an end. */
export const refusedContent = (context: AgentContext): boolean => isRefused(context) && showsMedia(context);

/** Returns the messages of which media are left out: those that the model has not answered yet, else all. It also returns others that have
 *  the same, as a result has that was read again. */
function suspects(context: AgentContext): readonly number[] {
  const seen = seenMedia(context);
  const from = unseenFrom(context);
  const isNew = [...seen.keys()].some((index) => index >= from);
  const chosen = new Set([...seen.keys()].filter((index) => !isNew || index >= from));
  const sources = new Set([...chosen].flatMap((index) => seen.get(index)!.map(sourceOf)));
  for (const [index, media] of seen) if (media.some((each) => sources.has(sourceOf(each)))) chosen.add(index);
  return [...chosen];
}

const sourceOf = ({ source }: MediaBlock): string => (source.type === "url" ? source.url : source.data);

function reasonOf({ failure }: AgentContext): Pick<Omitted, "code" | "why"> {
  const { code, message } = failure!;
  return { code, why: message.slice(0, REASON).toWellFormed() };
}

/** Leaves media out of what the model sees, and asks again: its main model, since what it may have refused is gone. */
export function omitRefused(context: AgentContext): Change {
  const view = context.view ?? WHOLE;
  const reason = reasonOf(context);
  const tried = suspects(context).map((at): Omitted => ({ at, what: "media", ...reason, isTried: true }));
  return {
    view: { ...view, omitted: [...(view.omitted ?? []), ...tried] },
    failure: null,
    draft: null,
    request: { ...context.request, attempt: 0, usesFallback: false, notBeforeAt: null, edits: [] },
  };
}

function withOmitted(view: View, omitted: readonly Omitted[]): View {
  const { omitted: _, ...rest } = view;
  return omitted.length > 0 ? { ...rest, omitted } : rest;
}

/** The view of a turn whose model has answered: what was left out was refused indeed. */
export function confirmedView({ view }: AgentContext): Pick<Change, "view"> {
  if (!view?.omitted?.some(({ isTried }) => isTried)) return {};
  return {
    view: withOmitted(
      view,
      view.omitted.map(({ isTried: _, ...rest }) => rest),
    ),
  };
}

/** The view after a turn that failed. What was left out in vain is shown again; what the next request would have again and cannot be sent
 *  is left out from now on. */
export function viewAfterFailure(context: AgentContext): Pick<Change, "view"> {
  const view = context.view ?? WHOLE;
  const before = view.omitted ?? [];
  const refused = unsendable(context);
  const omitted = [
    ...before.filter(({ at, isTried }) => !isTried && refused.every((each) => each.at !== at)),
    ...refused,
  ];
  const isSame = omitted.length === before.length && omitted.every((each, at) => each === before[at]);
  return isSame ? {} : { view: withOmitted(view, omitted) };
}

/** Returns the messages that the model has not answered and cannot be asked with. These are all, if a content filter refused them, or what
 *  alone is more than half of a prompt that is too long and that no compaction made shorter. */
function unsendable(context: AgentContext): readonly Omitted[] {
  const { transcript, failure, settings } = context;
  const isTooLong = failure?.code === "model/context-length";
  if (failure?.code !== "model/content-filter" && !isTooLong) return [];
  const view = context.view ?? WHOLE;
  const least = isTooLong ? Math.max(LONG, sizeOfView(transcript, view, settings.results) / 2) : 0;
  const reason = reasonOf(context);
  const found: Omitted[] = [];
  for (let at = unseenFrom(context); at < transcript.length; at++) {
    const message = transcript.at(at)!;
    if (isSaid(message) && shownSize(message, formAt(view, at), settings.results) >= least)
      found.push({ at, what: "all", ...reason });
  }
  return found;
}

/** True for a message of a user or with results: others are not left out. */
const isSaid = (message: Msg): boolean => message.role === "user" || hasBlock(message, "tool_result");
