import { measured, sizeOfMessage, sizeOfText } from "../../src/message/size.ts";
import { hasBlock } from "../../src/message/query.ts";
import { READ_RESULT } from "../../src/tool/reserved-names.ts";
import type { MediaBlock, Msg, TextBlock, ToolResultBlock } from "../../src/message/types.ts";
import type { Transcript } from "../../src/message/transcript.ts";
import { listOf, type Piece } from "../../src/model/request-messages.ts";

/** What a model sees of the transcript, which itself is never shortened. */
export type View = {
  /** Index of the first message of the part that is shown. */
  readonly from: number;
  /** Indexes of the messages before that part which are shown all the same: those of the user that the turn answers. */
  readonly head: readonly number[];
  /** The results before this index are shown as one line each. */
  readonly clearedTo: number;
  /** The results before this index are shown without their images, sounds and films; absent: all have them. */
  readonly mediaTo?: number;
  /** Stands for everything before `from`. */
  readonly summary?: Msg;
  /** True once a result was shown in part: from then on the model may read results. */
  readonly reads?: boolean;
};

/** How tool results are shown. */
export type ResultLimits = {
  /** A longer result is shown as its beginning and its end, in tokens; null for no bound. */
  readonly maxTokens: number | null;
  /** Bounds of single tools. */
  readonly tools: { readonly [tool: string]: number };
  /** Tools whose results are always shown whole. */
  readonly exclude: readonly string[];
  /** So many of the newest results with media keep them in a compaction; null: all. */
  readonly keepMedia: number | null;
};

/** Every result is shown whole. */
export const ALL_WHOLE: ResultLimits = { maxTokens: null, tools: {}, exclude: [], keepMedia: null };

/** Everything is shown. */
export const WHOLE: View = { from: 0, head: [], clearedTo: 0 };

/** How many characters of a long result are shown from its beginning and from its end. */
const SHOWN_EACH = 2_000;
/** A result below this size is not worth clearing, in tokens. */
const SMALL = 50;

/** Returns the text that a model can read of a result. */
export function resultText({ output }: ToolResultBlock): string {
  return output.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function boundOf({ name }: ToolResultBlock, { maxTokens, tools, exclude }: ResultLimits): number {
  if (name === READ_RESULT || exclude.includes(name)) return Number.POSITIVE_INFINITY;
  return (Object.hasOwn(tools, name) ? tools[name] : maxTokens) ?? Number.POSITIVE_INFINITY;
}

/** True if a result is too long to be shown whole. */
export function isOffloaded(result: ToolResultBlock, limits: ResultLimits): boolean {
  const bound = boundOf(result, limits);
  return lengthOf(result) > Math.max(bound, 2 * SHOWN_EACH) && sizeOfText(resultText(result)) > bound;
}

/** The length of {@link resultText}, or less than 0 without text. */
function lengthOf({ output }: ToolResultBlock): number {
  let length = -1;
  for (const block of output) if (block.type === "text") length += block.text.length + 1;
  return length;
}

/** The largest index up to `at` that does not cut a character in two. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

function offloaded(result: ToolResultBlock): ToolResultBlock {
  const text = resultText(result);
  const begin = text.slice(0, whole(text, SHOWN_EACH));
  const end = text.slice(whole(text, text.length - SHOWN_EACH));
  const pointer = `[The result has ${text.length} characters, of which the first and the last are shown. Read the rest with ${READ_RESULT}, id "${result.id}".]`;
  return withText(result, `${begin}\n${pointer}\n${end}`);
}

/** Returns the images, sounds and films of a result. */
export function mediaOf({ output }: ToolResultBlock): readonly MediaBlock[] {
  return output.filter((block) => block.type !== "text");
}

function withText(result: ToolResultBlock, text: string): ToolResultBlock {
  return { ...result, output: [{ type: "text", text }, ...mediaOf(result)] };
}

function withoutMedia(result: ToolResultBlock): ToolResultBlock {
  const output = result.output.map((block): TextBlock => {
    if (block.type === "text") return block;
    return { type: "text", text: `[${block.type} omitted; see it with ${READ_RESULT}, id "${result.id}"]` };
  });
  return { ...result, output };
}

function cleared(result: ToolResultBlock): ToolResultBlock {
  const text = `[Result of ${result.name} cleared; read it with ${READ_RESULT}, id "${result.id}"]`;
  return { ...result, output: [{ type: "text", text }] };
}

/** True if clearing a result makes it shorter. */
export function isClearable(result: ToolResultBlock, { exclude }: ResultLimits): boolean {
  if (result.name === READ_RESULT || exclude.includes(result.name)) return false;
  return mediaOf(result).length > 0 || sizeOfText(resultText(result)) > SMALL;
}

/** True if a result may be shown without its media. */
export function hasOmittableMedia(result: ToolResultBlock, { exclude }: ResultLimits): boolean {
  return mediaOf(result).length > 0 && !exclude.includes(result.name);
}

/** How a message is shown: whole but for long results, without media, or with its results as one line each. */
export type Form = "full" | "withoutMedia" | "cleared";

/** Returns how a view shows the message at an index. */
export function formAt({ clearedTo, mediaTo = 0 }: View, index: number): Form {
  if (index < clearedTo) return "cleared";
  return index < mediaTo ? "withoutMedia" : "full";
}

/** Stands for the message itself, which a map would keep alive as its value. */
const ITSELF = Symbol("itself");

/** The forms in which a message is shown, made once for each message and for each configuration. */
type Shown = { readonly [form in Form]: WeakMap<Msg, Msg | typeof ITSELF> };
const shownBy = new WeakMap<ResultLimits, Shown>();

function shown(message: Msg, form: Form, limits: ResultLimits): Msg {
  if (!hasBlock(message, "tool_result")) return message;
  let forms = shownBy.get(limits);
  if (!forms) {
    forms = { full: new WeakMap(), withoutMedia: new WeakMap(), cleared: new WeakMap() };
    shownBy.set(limits, forms);
  }
  const known = forms[form].get(message);
  if (known) return known === ITSELF ? message : known;
  const seen = makeShown(message, form, limits);
  forms[form].set(message, seen === message ? ITSELF : seen);
  return seen;
}

function shownResult(result: ToolResultBlock, form: Form, limits: ResultLimits): ToolResultBlock {
  if (form === "cleared" && isClearable(result, limits)) return cleared(result);
  const short = isOffloaded(result, limits) ? offloaded(result) : result;
  return form !== "full" && hasOmittableMedia(result, limits) ? withoutMedia(short) : short;
}

function makeShown(message: Msg, form: Form, limits: ResultLimits): Msg {
  const content = message.content.map((block) =>
    block.type === "tool_result" ? shownResult(block, form, limits) : block,
  );
  const isChanged = content.some((block, index) => block !== message.content[index]);
  return isChanged ? Object.freeze({ ...message, content: Object.freeze(content) }) : message;
}

/** The index of the first message that is shown. A message that was taken out of the transcript may have moved it behind a call. */
function beginOf(transcript: Transcript, from: number): number {
  let begin = Math.min(from, Math.max(0, transcript.length - 1));
  while (begin > 0 && hasBlock(transcript.at(begin)!, "tool_result")) begin--;
  return begin;
}

/** The messages from `base` on as views show them that differ in their beginning only, kept for the next request of the session. */
type Run = Required<Pick<View, "clearedTo" | "mediaTo">> & {
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

/** Returns the messages from `begin` on, and maybe others before and behind: a request needs only what is new to be looked at. */
function runFrom(transcript: Transcript, view: View, limits: ResultLimits, begin: number): Run {
  const { clearedTo, mediaTo = 0 } = view;
  let run = transcript.known[RUN] as Run | undefined;
  const isOther = !run || run.clearedTo !== clearedTo || run.mediaTo !== mediaTo || run.limits !== limits;
  if (isOther || begin < run!.base) {
    run = { clearedTo, mediaTo, limits, base: begin, full: NONE, rest: [], sizes: [0], offloaded: [] };
    transcript.known[RUN] = run;
  }
  if (endOf(run!) < transcript.length) extend(run!, transcript, view);
  return run!;
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
function beforeOf(transcript: Transcript, { head, summary }: View, begin: number): readonly Msg[] {
  if (!summary && head.length === 0) return [];
  const asked = head.flatMap((index) => (index < begin ? (transcript.at(index) ?? []) : []));
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
  const before = beforeOf(transcript, seen, begin);
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
  const before = beforeOf(transcript, seen, begin).reduce((sum, each) => sum + sizeOfMessage(each), 0);
  return before + sizeUpTo(run, transcript.length - run.base) - sizeUpTo(run, begin - run.base);
}

/** Returns how many messages a model sees. */
export function lengthOfView(transcript: Transcript, view: View | null): number {
  const seen = view ?? WHOLE;
  const begin = beginOf(transcript, seen.from);
  return beforeOf(transcript, seen, begin).length + transcript.length - begin;
}

/** How much of the end of a transcript is shown. */
export type Bound = {
  readonly messages: number;
  /** In tokens, as {@link shownSize} counts them. */
  readonly tokens: number;
};

/** Returns the index at which a shorter part begins: the first one after `from` at which the rest is within the bound and no result
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
