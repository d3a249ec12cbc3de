import { sizeOfContent, sizeOfText } from "../../../src/core/message/transcript.ts";
import { withAccount } from "../../../src/core/message/account.ts";
import { hasBlock, isMediaBlock } from "../../../src/core/message/msg.ts";
import { READ_RESULT } from "../../../src/core/tool/reserved-names.ts";
import type { Block, MediaBlock, Msg, TextBlock, ToolResultBlock } from "../../../src/core/message/types.ts";
import type { ErrorCode } from "../../../src/core/base/error.ts";

/** The number of characters of a long result that are shown from its beginning and from its end. */
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

function offloaded(result: ToolResultBlock, each = SHOWN_EACH): ToolResultBlock {
  const text = resultText(result);
  const begin = text.slice(0, whole(text, each));
  const end = text.slice(whole(text, text.length - each));
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

/** The size of the line that says that a result is shown in part, in tokens, and the least text that is shown beside it. */
const [POINTER, LEAST_TEXT] = [60, 20];

/** A result in at most so many tokens, if that can be: its beginning and its end, or else one line. Its media stay only where all of it
 *  is small enough. */
function cutTo(result: ToolResultBlock, tokens: number): ToolResultBlock {
  if (sizeOfContent(result.output) <= tokens) return result;
  const short = withoutMedia(result);
  if (sizeOfContent(short.output) <= tokens) return short;
  const text = resultText(result);
  const lines = short.output.filter((_, index) => result.output[index]!.type !== "text");
  const room = tokens - POINTER - sizeOfContent(lines);
  if (room < LEAST_TEXT || text === "") return cleared(result);
  const each = Math.floor((room / sizeOfText(text) / 2) * text.length);
  const cut = offloaded({ ...result, output: [{ type: "text", text }] }, each);
  return { ...cut, output: [...cut.output, ...lines] };
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

/** The form in which a message is shown. */
export type Form = {
  /** The same for the same form. */
  readonly key: string;
  /** Its results: whole but for long ones, without media, or as one line each. */
  readonly results: "full" | "withoutMedia" | "cleared";
  /** Each of its results has at most so many tokens. */
  readonly most?: number;
  /** The part of it that a provider refused and that is left out. */
  readonly without?: "media" | "all";
};

const formOf = (results: Form["results"]): Form => ({ key: results, results });
const FORMS = { full: formOf("full"), withoutMedia: formOf("withoutMedia"), cleared: formOf("cleared") };

/** Returns how a view shows the message at an index. */
export function formAt({ clearedTo, mediaTo = 0, cut, omitted }: View, index: number): Form {
  const form = FORMS[index < clearedTo ? "cleared" : index < mediaTo ? "withoutMedia" : "full"];
  if (!cut && !omitted) return form;
  const most = cut?.findLast(({ from, to }) => index >= from && index < to)?.tokens;
  const without = omitted?.find(({ at }) => at === index)?.what;
  if (most === undefined && without === undefined) return form;
  return {
    key: `${form.key} ${most ?? ""} ${without ?? ""}`,
    results: form.results,
    ...(most !== undefined && { most }),
    ...(without && { without }),
  };
}

/** Stands for the message itself, which a map would keep alive as its value. */
const ITSELF = Symbol("itself");

/** The messages as they are shown, by the key of the form: made once for each message and for each configuration. */
type Shown = Map<string, WeakMap<Msg, Msg | typeof ITSELF>>;
const shownBy = new WeakMap<ResultLimits, Shown>();

/** Returns a message as it is shown; the message itself if it is shown as it is. What became of a call on its way is for people: the model sees the
 *  result alone. */
export function shown(message: Msg, form: Form, limits: ResultLimits): Msg {
  if (!form.without && !hasBlock(message, "tool_result")) return message;
  const forms = made(shownBy, limits, (): Shown => new Map());
  const known = made(forms, form.key, () => new WeakMap());
  const seen = known.get(message);
  if (seen) return seen === ITSELF ? message : seen;
  const now = makeShown(message, form, limits);
  known.set(message, now === message ? ITSELF : now);
  return now;
}

type Cache<Key, Value> = { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown };

function made<Key, Value>(cache: Cache<Key, Value>, key: Key, make: () => Value): Value {
  let value = cache.get(key);
  if (value === undefined) cache.set(key, (value = make()));
  return value;
}

/** The line that stands for what a provider refused. */
const refusedMedia = ({ type }: MediaBlock): TextBlock => ({
  type: "text",
  text: `[${type} left out: the provider of the model refused it]`,
});
const REFUSED: TextBlock = {
  type: "text",
  text: "[left out: the provider of the model refused what was said here]",
};

function shownResult(result: ToolResultBlock, form: Form, limits: ResultLimits): ToolResultBlock {
  const { results, most, without } = form;
  if (without === "all") return { ...result, output: [REFUSED] };
  if (without === "media" && mediaOf(result).length > 0) {
    const output = result.output.map((block) => (isMediaBlock(block) ? refusedMedia(block) : block));
    return shownResult(
      { ...result, output },
      { key: "", results, ...(most !== undefined && { most }) },
      limits,
    );
  }
  if (results === "cleared" && isClearable(result, limits)) return cleared(result);
  const whole = results !== "full" && hasOmittableMedia(result, limits);
  const cut = most === undefined || limits.exclude.includes(result.name) ? result : cutTo(result, most);
  const short = cut === result && isOffloaded(result, limits) ? offloaded(result) : cut;
  return whole ? withoutMedia(short) : short;
}

function makeShown(message: Msg, form: Form, limits: ResultLimits): Msg {
  const content = message.content.flatMap((block, index): Block | readonly Block[] => {
    if (block.type === "tool_result") return shownResult(withAccount(block, undefined), form, limits);
    if (form.without === "media" && isMediaBlock(block)) return refusedMedia(block);
    if (form.without !== "all" || block.type === "tool_use") return block;
    return index === 0 ? REFUSED : [];
  });
  const isChanged = content.some((block, index) => block !== message.content[index]);
  return isChanged ? Object.freeze({ ...message, content: Object.freeze(content) }) : message;
}

/** The part of the transcript that a model sees; the transcript itself is never shortened. */
export type View = {
  /** Index of the first message of the part that is shown. */
  readonly from: number;
  /** Indexes of the messages before that part which are shown all the same: those of the user that the turn answers. */
  readonly head: readonly number[];
  /** The results before this index are shown as one line each. */
  readonly clearedTo: number;
  /** The results before this index are shown without their images, sounds and films; absent: all have them. */
  readonly mediaTo?: number;
  /** Results that were too large together for one prompt, which are shown in part; absent: none. */
  readonly cut?: readonly Cut[];
  /** The content that a provider refused, by index; absent: nothing. */
  readonly omitted?: readonly Omitted[];
  /** Stands for everything before `from`. */
  readonly summary?: Msg;
  /** True once a result was shown in part: from then on the model may read results. */
  readonly reads?: boolean;
};

/** The results from `from` up to, but not including, `to`: each one larger than `tokens` is shown in part. */
export type Cut = { readonly from: number; readonly to: number; readonly tokens: number };

/** A message, by its index, of which is left out what a provider refused. */
export type Omitted = {
  readonly at: number;
  /** Its images, sounds and films, or all that it says. */
  readonly what: "media" | "all";
  /** The error with which the provider refused it. */
  readonly code: ErrorCode;
  readonly why: string;
  /** No provider has answered without it so far: it may not be what was refused. */
  readonly isTried?: true;
};

/** The limits with which tool results are shown. */
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
