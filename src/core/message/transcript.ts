import { perObject, freeze, isSame } from "../base/json.ts";
import { hasBlock, toolUsesOf } from "./msg.ts";
import type { TranscriptHead } from "./transcript-head.ts";
import type { Msg, Block } from "./types.ts";

type Log = {
  /** The messages before all others, of which some may not be read yet; undefined if there are none. */
  readonly head: TranscriptHead | undefined;
  /** Those that it was made of, which are never copied again. */
  readonly first: readonly Msg[];
  /** Those that were appended. */
  more: Msg[];
  callIds: Set<string> | undefined;
  readonly known: TranscriptMemo;
};

const NONE: readonly Msg[] = Object.freeze([]);

/** A shorter array is made again for what is added: one that grows keeps places free, and there are many short conversations. */
const SHORT = 16;

/** The values that are worked out once for all transcripts that share their array, by who has worked them out. */
export type TranscriptMemo = { [by: symbol]: unknown };

/**
 * The messages of a session as an immutable value that is cheap to pass around. An append shares the array with the transcript that it was
 * made from, and JSON contains only the length.
 *
 * T1 A transcript never changes: `append`, `insert` and `replaceFrom` return a new one.
 * T2 Appending to the newest transcript, or again what follows in the array, costs the same at any length; any other change copies the
 *    array once.
 * T3 Its messages are deeply frozen.
 * T4 The messages are reachable through `slice` and `at` only, not by walking the object, as XState does with a context.
 *
 * Of a stored session only the end is here at first ({@link after}): `load` reads more. What is not here cannot be read by `at` and `slice`:
 * they throw `run/busy`.
 */
export class Transcript {
  readonly length: number;
  readonly #log: Log;

  private constructor(log: Log, length: number) {
    this.#log = log;
    this.length = length;
  }

  /** Returns a transcript of these messages, which it freezes. */
  static of(messages: readonly Msg[] = []): Transcript {
    return Transcript.after(undefined, messages);
  }

  /** Returns a transcript of the messages of a head and these, which it freezes. */
  static after(head: TranscriptHead | undefined, messages: readonly Msg[]): Transcript {
    const isShort = messages.length < SHORT;
    const [first, more] = isShort ? [NONE, messages.map(freeze)] : [messages.map(freeze), []];
    const log: Log = { head, first, more, callIds: undefined, known: {} };
    addCallIds(log, messages);
    return new Transcript(log, (head?.length ?? 0) + messages.length);
  }

  /** The index of the first message that is here; 0 unless the session was stored and has older ones. */
  get from(): number {
    return this.#log.head?.from ?? 0;
  }

  /** Reads the messages from `from` on, by default all; undefined if they are here. Rejects as the store does. */
  load(from = 0): Promise<void> | undefined {
    return this.#log.head?.load(from);
  }

  /** Returns the same messages as a transcript that shares nothing with this one but its head. */
  copy(): Transcript {
    return Transcript.after(this.#log.head, this.slice(this.#own));
  }

  /** The index of the first message behind the head. */
  get #own(): number {
    return this.#log.head?.length ?? 0;
  }

  /** The same object for all transcripts that share their array, in which the message at an index is always the same. */
  get known(): TranscriptMemo {
    return this.#log.known;
  }

  /** Returns the message at `index`, counted from the end if negative; undefined if there is none. */
  at(index: number): Msg | undefined {
    const position = index < 0 ? this.length + index : index;
    if (position >= this.length || position < 0) return undefined;
    const { head, first, more } = this.#log;
    const own = head ? position - head.length : position;
    if (own < 0) return head!.at(position);
    return own < first.length ? first[own] : more[own - first.length];
  }

  /** Returns the messages from `from` up to, but not including, `to`, as a new array. */
  slice(from = 0, to: number = this.length): Msg[] {
    const { head, first, more } = this.#log;
    const [begin, end] = [indexIn(from, this.length), indexIn(to, this.length)];
    if (head) return this.#sliceBehind(head, begin, end);
    if (first.length === 0) return more.slice(begin, end);
    if (end <= first.length) return first.slice(begin, end);
    const rest = more.slice(Math.max(0, begin - first.length), end - first.length);
    return begin < first.length ? first.slice(begin).concat(rest) : rest;
  }

  #sliceBehind(head: TranscriptHead, from: number, to: number): Msg[] {
    const { first, more } = this.#log;
    const [begin, end] = [Math.max(0, from - head.length), Math.max(0, to - head.length)];
    const own = first
      .slice(begin, end)
      .concat(more.slice(Math.max(0, begin - first.length), Math.max(0, end - first.length)));
    return from < head.length ? head.slice(from, Math.min(to, head.length)).concat(own) : own;
  }

  /** Returns true if a message of this transcript, or of one that shares its array, asks for a call with this id. It also returns true if
   *  one may do so that is not read yet. */
  hasCall(id: string): boolean {
    const { head, callIds } = this.#log;
    return (callIds?.has(id) ?? false) || (head?.hasCall(id) ?? false);
  }

  /** Returns a transcript with `messages` after all others. */
  append(messages: readonly Msg[]): Transcript {
    if (messages.length === 0) return this;
    const { head, first, more } = this.#log;
    const isNewest = this.#own + first.length + more.length === this.length;
    if (!isNewest)
      return this.#again(messages) ?? Transcript.after(head, [...this.slice(this.#own), ...messages]);
    const added = messages.map(freeze);
    if (more.length < SHORT) this.#log.more = more.concat(added);
    else more.push(...added);
    addCallIds(this.#log, messages);
    return new Transcript(this.#log, this.length + added.length);
  }

  /** Returns a transcript with messages that were appended to this one before; undefined if others follow it. A step that is worked out twice
   *  appends them twice. */
  #again(messages: readonly Msg[]): Transcript | undefined {
    const { head, first, more } = this.#log;
    const whole = new Transcript(this.#log, (head?.length ?? 0) + first.length + more.length);
    const isSaid = messages.every((message, index) => isSame(message, whole.at(this.length + index)));
    return isSaid ? new Transcript(this.#log, this.length + messages.length) : undefined;
  }

  /** Returns a transcript with `messages` before the one at `index`. */
  insert(index: number, messages: readonly Msg[]): Transcript {
    if (index >= this.length) return this.append(messages);
    return this.#upTo(index, [...messages, ...this.slice(index)]);
  }

  /** Returns a transcript with `messages` in place of all from `index` on. */
  replaceFrom(index: number, messages: readonly Msg[]): Transcript {
    return this.#upTo(index, messages);
  }

  #upTo(index: number, messages: readonly Msg[]): Transcript {
    return index < this.#own
      ? Transcript.of([...this.slice(0, index), ...messages])
      : Transcript.after(this.#log.head, [...this.slice(this.#own, index), ...messages]);
  }

  /** Returns how many messages two transcripts have in common at their start; O(1) if one was made by appending to the other. */
  commonPrefix(other: Transcript): number {
    const most = Math.min(this.length, other.length);
    if (this.#log === other.#log) return most;
    let same = this.#log.head === other.#log.head ? this.#own : 0;
    while (same < most && this.at(same) === other.at(same)) same++;
    return same;
  }

  toJSON(): { readonly transcript: number } {
    return { transcript: this.length };
  }
}

/** An index of a slice, counted from the end if negative, within the length. */
const indexIn = (index: number, length: number): number =>
  index < 0 ? Math.max(0, length + index) : Math.min(index, length);

/** Most sessions that rest have no calls, and none of them has an empty set for that. */
function addCallIds(log: Log, messages: readonly Msg[]): void {
  for (const message of messages)
    if (hasBlock(message, "tool_use"))
      for (const { id } of toolUsesOf(message)) (log.callIds ??= new Set()).add(id);
}

/** About as many characters of English, code or JSON make a token. */
const CHARACTERS_PER_TOKEN = 3.5;
/** So many of the alphabets of Europe and the Near East do; a character of any other writing counts as one token. */
const LETTERS_PER_TOKEN = 2;
/** The last code of ASCII, and that of those alphabets. */
const [LAST_ASCII, LAST_LETTER] = [0x7f, 0x7ff];
/** Most texts have no such character, which needs no loop of ours. */
const BEYOND_ASCII = /[\u{80}-\u{10ffff}]/u;
/** The number of tokens of a message beside its content. */
const PER_MESSAGE = 4;
/** The size of an image, sound or film, whose tokens only its provider knows. */
const PER_MEDIA = 765;

/** Returns the size of a text, in tokens. It is quick and needs no tokenizer; models count differently, so that it is compared with
 *  what they have reported. */
export function sizeOfText(text: string): number {
  if (!BEYOND_ASCII.test(text)) return text.length / CHARACTERS_PER_TOKEN;
  let letters = 0;
  let wide = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= LAST_ASCII) continue;
    if (code <= LAST_LETTER) letters++;
    else wide++;
  }
  return (text.length - letters - wide) / CHARACTERS_PER_TOKEN + letters / LETTERS_PER_TOKEN + wide;
}

function sizeOfBlock(block: Block): number {
  switch (block.type) {
    case "text":
      return sizeOfText(block.text);
    case "thinking":
      return sizeOfText(block.thinking);
    case "tool_use":
      return sizeOfText(block.name) + sizeOfText(JSON.stringify(block.input));
    case "tool_result":
      return block.output.reduce(addSize, sizeOfText(block.name));
    default:
      return PER_MEDIA;
  }
}

const addSize = (sum: number, block: Block): number => sum + sizeOfBlock(block);

/** Returns the size of content, in tokens as {@link sizeOfText} counts them. */
export const sizeOfContent = (content: readonly Block[]): number => content.reduce(addSize, 0);

/** Returns the size of a message, in tokens as {@link sizeOfText} counts them. */
export function measured(message: Msg): number {
  return Math.ceil(message.content.reduce(addSize, PER_MESSAGE));
}

/** As {@link measured}, but counted once for each message object. */
export const sizeOfMessage = perObject(measured);

/** Returns the size of what tools add to a request, in tokens; counted once for each array. */
export const sizeOfTools = perObject((tools: readonly object[]): number =>
  tools.length === 0 ? 0 : Math.ceil(sizeOfText(JSON.stringify(tools))),
);
