import { measured, sizeOfMessage, type Transcript } from "../../../src/core/message/transcript.ts";
import { hasBlock } from "../../../src/core/message/msg.ts";
import type { Msg } from "../../../src/core/message/types.ts";
import { listOf, type Piece } from "../../../src/core/model/request.ts";
import {
  formAt,
  isOffloaded,
  shown,
  type Form,
  type Omitted,
  type ResultLimits,
  type View,
} from "./shown.ts";

export type { Cut, Omitted, ResultLimits, View } from "./shown.ts";

/** Every result is shown whole. */
export const ALL_WHOLE: ResultLimits = { maxTokens: null, tools: {}, exclude: [], keepMedia: null };

/** Everything is shown. */
export const WHOLE: View = { from: 0, head: [], clearedTo: 0 };

/** The index of the first message that is shown. A message that was taken out of the transcript may have moved it behind a call. */
function beginOf(transcript: Transcript, from: number): number {
  let begin = Math.min(from, Math.max(0, transcript.length - 1));
  while (begin > 0 && hasBlock(transcript.at(begin)!, "tool_result")) begin--;
  return begin;
}

/** The messages from `base` on as views show them that differ in their beginning only, cached for the next request of the session. */
type Run = Required<Pick<View, "clearedTo" | "mediaTo">> & {
  readonly cut: View["cut"];
  readonly omitted: View["omitted"];
  readonly limits: ResultLimits;
  readonly base: number;
  /** {@link PIECE} messages each, which later requests share. */
  full: readonly SizedPiece[];
  /** The messages behind these. */
  rest: Msg[];
  /** The size of the full pieces and of the first `index` of the rest together, in tokens. */
  sizes: number[];
  /** The indexes in the transcript of the messages with a result that is too long to be shown whole. */
  readonly offloaded: number[];
};
/** A piece with the size of all messages of its run before it. */
type SizedPiece = Required<Piece> & { readonly before: number };

const RUN = Symbol("run");
const SIZES = Symbol("sizes");
const PIECE = 128;
const NONE: readonly SizedPiece[] = [];
/** Shorter arrays are copied without the places that they keep free to grow: many sessions rest. */
const SHORT = 16;

function isSame(run: Run, { clearedTo, mediaTo = 0, cut, omitted }: View, limits: ResultLimits): boolean {
  if (run.clearedTo !== clearedTo || run.mediaTo !== mediaTo || run.limits !== limits) return false;
  return run.cut === cut && run.omitted === omitted;
}

/** Returns the messages from `begin` on, and maybe others before and behind: a request needs only what is new to be looked at. */
function runFrom(transcript: Transcript, view: View, limits: ResultLimits, begin: number): Run {
  const { clearedTo, mediaTo = 0, cut, omitted } = view;
  let run = transcript.known[RUN] as Run | undefined;
  if (!run || begin < run.base || !isSame(run, view, limits)) {
    const place = { clearedTo, mediaTo, cut, omitted, limits, base: begin };
    run = { ...place, full: NONE, rest: [], sizes: [0], offloaded: [] };
    transcript.known[RUN] = run;
  }
  if (endOf(run) < transcript.length) extend(run, transcript, view);
  return run;
}

/** The index in the transcript behind the last message of a run. */
const endOf = ({ base, full, rest }: Run): number => base + full.length * PIECE + rest.length;

/** Adds what a run lacks of a transcript. */
function extend(run: Run, transcript: Transcript, view: View): void {
  const { offloaded: long, limits } = run;
  for (let index = endOf(run); index < transcript.length; index++) {
    const message = transcript.at(index)!;
    const seen = shown(message, formAt(view, index), limits);
    run.rest.push(seen);
    run.sizes.push(run.sizes.at(-1)! + measured(seen));
    if (run.rest.length === PIECE) closePiece(run);
    if (hasBlock(message, "tool_result") && hasLongResult(message, limits)) long.push(index);
  }
  if (run.full.length > 0 || run.rest.length > SHORT) return;
  run.rest = run.rest.slice();
  run.sizes = run.sizes.slice();
}

function hasLongResult({ content }: Msg, limits: ResultLimits): boolean {
  return content.some((block) => block.type === "tool_result" && isOffloaded(block, limits));
}

function closePiece(run: Run): void {
  run.full = [...run.full, { messages: run.rest, known: {}, before: run.sizes[0]! }];
  run.rest = [];
  run.sizes = [run.sizes.at(-1)!];
}

/** Returns the size of the first `count` messages of a run together. Within a full piece its messages are measured again, once: few
 *  views begin or end there, and a long session at rest need not hold a number for each of its messages. */
function sizeUpTo({ full, sizes }: Run, count: number): number {
  const piece = full[Math.floor(count / PIECE)];
  if (!piece) return sizes[count - full.length * PIECE]!;
  const { messages, known, before } = piece;
  const inside = count % PIECE;
  if (inside === 0) return before;
  return before + ((known[SIZES] ??= prefixSums(messages)) as readonly number[])[inside]!;
}

function prefixSums(messages: readonly Msg[]): readonly number[] {
  let sum = 0;
  return messages.map((message) => {
    const before = sum;
    sum += measured(message);
    return before;
  });
}

/** Returns what stands before the part of a view that begins at `begin`. */
function beforeOf(transcript: Transcript, view: View, begin: number, limits: ResultLimits): readonly Msg[] {
  const { head, summary } = view;
  if (!summary && head.length === 0) return [];
  const asked = head.flatMap((index) => {
    const message = index < begin ? transcript.at(index) : undefined;
    return message ? [shown(message, formAt(view, index), limits)] : [];
  });
  return summary ? [summary, ...asked] : asked;
}

/** Returns the messages that a model sees, a pure function of the transcript and the view. */
export function viewOf(transcript: Transcript, view: View | null, limits: ResultLimits): readonly Msg[] {
  return listOf(piecesOfView(transcript, view, limits));
}

/** As {@link viewOf}, in pieces. The next request of the session has those again that are full, so that it copies few messages. */
export function piecesOfView(
  transcript: Transcript,
  view: View | null,
  limits: ResultLimits,
): readonly Piece[] {
  const seen = view ?? WHOLE;
  const begin = beginOf(transcript, seen.from);
  const { base, full, rest } = runFrom(transcript, seen, limits, begin);
  const [from, to] = [begin - base, transcript.length - base];
  const before = beforeOf(transcript, seen, begin, limits);
  const partOf = (index: number): Piece => {
    const { messages } = full[index] ?? { messages: rest };
    return { messages: messages.slice(Math.max(0, from - index * PIECE), to - index * PIECE) };
  };
  const [first, last] = [Math.floor(from / PIECE), Math.floor(to / PIECE)];
  const parts: Piece[] = before.length > 0 ? [{ messages: before }] : [];
  if (from % PIECE > 0 && first < last) parts.push(partOf(first));
  // copied at once, not one by one: a long history has many of them
  const whole = parts.concat(full.slice(Math.ceil(from / PIECE), last));
  if (to % PIECE > 0) whole.push(partOf(last));
  return whole;
}

/** Returns the size of a message as it is shown, in tokens. */
export function shownSize(message: Msg, form: Form, limits: ResultLimits): number {
  return sizeOfMessage(shown(message, form, limits));
}

/** Returns the size of what a model sees of the messages, in tokens. */
export function sizeOfView(transcript: Transcript, view: View | null, limits: ResultLimits): number {
  const seen = view ?? WHOLE;
  const begin = beginOf(transcript, seen.from);
  const run = runFrom(transcript, seen, limits, begin);
  const before = beforeOf(transcript, seen, begin, limits).reduce(
    (sum, each) => sum + sizeOfMessage(each),
    0,
  );
  return before + sizeUpTo(run, transcript.length - run.base) - sizeUpTo(run, begin - run.base);
}

/** Returns how many messages a model sees. */
export function lengthOfView(transcript: Transcript, view: View | null): number {
  const { from, head, summary } = view ?? WHOLE;
  const begin = beginOf(transcript, from);
  const asked = head.filter((index) => index < begin && index < transcript.length);
  return (summary ? 1 : 0) + asked.length + transcript.length - begin;
}

/** The size of the part that is shown of the end of a transcript. */
export type Bound = {
  readonly messages: number;
  /** In tokens, as {@link shownSize} counts them. */
  readonly tokens: number;
};

/** Returns the index at which a shorter part begins. It is the first one after `from` at which the rest is within the bound and no result
 *  loses its call, else the last one at which none does. Returns `from` if there is none. */
export function cutOf(transcript: Transcript, view: View, bound: Bound, limits: ResultLimits): number {
  const { from } = view;
  let cut = from;
  let tokens = 0;
  for (let index = transcript.length - 1; index > from; index--) {
    const message = transcript.at(index)!;
    tokens += shownSize(message, formAt(view, index), limits);
    const isWithin = transcript.length - index <= bound.messages && tokens <= bound.tokens;
    if (!isWithin && cut > from) return cut;
    if (!hasBlock(message, "tool_result")) cut = index;
  }
  return cut;
}

/** Returns the indexes of the messages of the user before `cut` that the turn answers, which began at `turnAt`. A turn without input
 *  answers the last message of the user before it. */
export function headOf(transcript: Transcript, cut: number, turnAt: number): readonly number[] {
  const isUser = (index: number): boolean => transcript.at(index)?.role === "user";
  const asked: number[] = [];
  for (let index = turnAt; index < cut; index++) if (isUser(index)) asked.push(index);
  if (isUser(turnAt)) return asked;
  let before = Math.min(turnAt, transcript.length) - 1;
  while (before >= 0 && !isUser(before)) before--;
  return before >= 0 && before < cut ? [before, ...asked] : asked;
}

/** True if a result of the messages from `from` on is shown in part. */
export function hasOffloaded(
  transcript: Transcript,
  view: View | null,
  limits: ResultLimits,
  from: number,
): boolean {
  const { offloaded: long } = runFrom(transcript, view ?? WHOLE, limits, from);
  return long.some((index) => index >= from && index < transcript.length);
}

/** The view of a transcript whose first `same` messages are as before. A summary of messages that were changed says what they said: then
 *  the whole transcript is shown, and bounded again. What a provider refused stays left out of the messages that are as before, wherever
 *  `placeOf` finds them. */
export function viewAfter(
  view: View | null,
  same: number,
  placeOf: (index: number) => number = (index) => index,
): View | null {
  if (!view) return view;
  const { omitted: left = [], cut: cuts = [], ...rest } = view;
  const omitted = left.flatMap((each): Omitted[] => {
    const at = each.at < same ? each.at : placeOf(each.at);
    return at < 0 ? [] : [at === each.at ? each : { ...each, at }];
  });
  const cut = cuts.filter(({ to }) => to <= same);
  const isKept = Math.max(view.from, view.clearedTo, view.mediaTo ?? 0) <= same;
  const isWhole = omitted.length === left.length && cut.length === cuts.length;
  if (isKept && isWhole && omitted.every((each, index) => each === left[index])) return view;
  const more = { ...(isKept && cut.length > 0 && { cut }), ...(omitted.length > 0 && { omitted }) };
  if (isKept) return { ...rest, ...more };
  return view.reads || omitted.length > 0 ? { ...WHOLE, ...more, ...(view.reads && { reads: true }) } : null;
}
