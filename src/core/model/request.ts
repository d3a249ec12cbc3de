import type { Msg, Block } from "../message/types.ts";
import { isMediaBlock } from "../message/msg.ts";
import type { GenerateOptions, ModelRequest } from "./port.ts";
import { configError } from "../base/error.ts";
import { perObject } from "../base/json.ts";
import { byteLength } from "../base/platform.ts";
import { loadTokenizer } from "./load-tokenizer.cjs";

/** A run of the messages of a request. */
export type Piece = {
  readonly messages: readonly Msg[];
  /** The result that was made of the messages, by who has made it. Only a piece that stands in later requests too has it, as the same
   *  object. */
  readonly known?: { [by: symbol]: unknown };
};

/** The key of the function that makes what `console.log` shows of a request: its messages, not that they are made when they are read. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");
const SHOWN: PropertyDescriptor = {
  value(this: object): object {
    return { ...this };
  },
};

/** The parts of which a request is made, and the list that was made of them. */
type Parts = { readonly pieces: readonly Piece[]; list: readonly Msg[] | undefined };

/** The key under which a request has its parts, and itself: what stands for it, such as a proxy, may have other messages. */
const PARTS = Symbol("parts");
const SELF = Symbol("self");
type WithParts = { readonly [PARTS]?: Parts; readonly [SELF]?: object };

/** One for all requests: an object with a getter of its own is a slow object. */
const MESSAGES: PropertyDescriptor = {
  get(this: Required<WithParts>): readonly Msg[] {
    const parts = this[PARTS];
    return (parts.list ??= Object.freeze(listOf(parts.pieces)));
  },
  enumerable: true,
  configurable: true,
};

/**
 * Returns a request of these pieces. If later requests have some of them too, its list of messages is made when it is first read: an
 * agent that asks for the thousandth time has added two messages to its request and need not copy the others.
 *
 * `messages` is a frozen array of the request's own, the same at each reading: what is appended to the conversation later does not
 * change it. What is made of a request, as by a spread, has a plain list and no pieces: it may be given another list.
 */
export function requestOfPieces<Rest extends object>(
  rest: Rest,
  pieces: readonly Piece[],
): { readonly messages: readonly Msg[] } & Rest {
  if (!pieces.some(({ known }) => known)) return { messages: Object.freeze(listOf(pieces)), ...rest };
  return requestWith({ pieces, list: undefined }, rest);
}

function requestWith<Rest extends object>(
  parts: Parts,
  rest: Rest,
): { readonly messages: readonly Msg[] } & Rest {
  const request = Object.assign(Object.defineProperty({}, "messages", MESSAGES), rest);
  Object.defineProperty(request, PARTS, { value: parts });
  Object.defineProperty(request, SELF, { value: request });
  return Object.defineProperty(request, INSPECT, SHOWN) as never;
}

function partsOf(request: object): Parts | undefined {
  const { [PARTS]: parts, [SELF]: self } = request as WithParts;
  return self === request ? parts : undefined;
}

/** Returns the messages of pieces as one list. */
export function listOf(pieces: readonly Piece[]): Msg[] {
  return ([] as Msg[]).concat(...pieces.map(({ messages }) => messages));
}

/** Returns the messages of a request in pieces: one, if it was not made of several. */
export function piecesOf(request: ModelRequest): readonly Piece[] {
  return partsOf(request)?.pieces ?? [request];
}

/** Returns the request with other options. */
export function withOptions(request: ModelRequest, options: GenerateOptions): ModelRequest {
  const parts = partsOf(request);
  if (!parts) return { ...request, options };
  const names = Object.keys(request).filter((name) => name !== "messages") as (keyof ModelRequest)[];
  const rest = Object.fromEntries(names.map((name) => [name, request[name]]));
  return requestWith(parts, { ...(rest as Omit<ModelRequest, "messages">), options });
}

/** Returns what `make` makes of each piece. Of pieces that later requests have too, it is made once. */
export function ofEach<T>(pieces: readonly Piece[], by: symbol, make: (piece: Piece) => T): readonly T[] {
  return pieces.map((piece) => {
    const { known } = piece;
    if (!known) return make(piece);
    if (!(by in known)) known[by] = make(piece);
    return known[by] as T;
  });
}

/** The tokenizer is quadratic in runs without a break, and in runs of spaces; an estimate may cut them. */
const LONG_RUN = /(\S{400}|\s{400})/;
const LONG = 400;
/** The number of characters of a long text that are counted at its beginning, its middle and its end. */
const PART = 20_000;
/** The number of tokens of a message beside its content, as OpenAI counts it. */
const PER_MESSAGE = 4;
/** The estimate for an image, audio or video block, whose count only its provider knows. */
const PER_MEDIA = 765;

/** The parts of words that the tokenizer remembers. */
const REMEMBERED = 10_000;
/** The names of special tokens, such as "<|endoftext|>", are counted as the text that they are. */
const NO_SPECIAL = { disallowedSpecial: new Set<string>() };

type Tokenizer = Pick<ReturnType<typeof loadTokenizer>, "countTokens">;

/** Counts without the tokenizer, which has 440 KB compressed. */
const ESTIMATE: Tokenizer = { countTokens: (text) => Math.ceil(byteLength(text) / 4) };

let tokenizer: Tokenizer | undefined;

function load(): Tokenizer {
  try {
    const loaded = loadTokenizer();
    // A bundle for browsers has an empty module in its place, see "browser" of package.json.
    if (!loaded.countTokens) return ESTIMATE;
    loaded.setMergeCacheSize(REMEMBERED);
    return loaded;
  } catch (error) {
    throw configError(
      "Counting tokens needs the tokenizer gpt-tokenizer, which is part of agentchart but is missing here: npm install agentchart",
      { cause: error },
    );
  }
}

function countPiece(text: string): number {
  tokenizer ??= load();
  return tokenizer.countTokens(text, NO_SPECIAL);
}

/** An estimate of the tokens of a text, by the cl100k tokenizer, whatever the model. Of a text of more than 60,000
 *  characters three parts are counted, so that none holds up the process. */
export function countText(text: string): number {
  if (text.length <= 3 * PART) return countKnown(text);
  const middle = Math.floor((text.length - PART) / 2);
  const parts = [0, middle, text.length - PART].map((at) => countKnown(text.slice(at, at + PART)));
  return Math.round((parts.reduce((sum, count) => sum + count) / (3 * PART)) * text.length);
}

/** The counts of texts that come again. A worker makes agents with the same system prompt and tools for all its sessions. It is emptied
 *  once its texts have too many characters. */
const known = new Map<string, number>();
const KNOWN_CHARACTERS = 1_000_000;
let characters = 0;

function countKnown(text: string): number {
  const found = known.get(text);
  if (found !== undefined) return found;
  if ((characters += text.length) > KNOWN_CHARACTERS) {
    known.clear();
    characters = text.length;
  }
  const own = structuredClone(text); // a key that is a part of a longer text, here or in the tokenizer, would keep all of that
  const pieces = own.length < LONG ? [own] : own.split(LONG_RUN);
  const tokens = pieces.reduce((sum, piece) => sum + countPiece(piece), 0);
  known.set(own, tokens);
  return tokens;
}

function countBlock(block: Block): number {
  switch (block.type) {
    case "text":
      return countText(block.text);
    case "thinking":
      return countText(block.thinking);
    case "tool_use":
      return countText(block.name) + countText(JSON.stringify(block.input));
    case "tool_result":
      return block.output.reduce((sum, each) => sum + countBlock(each), countText(block.name));
    case "provider":
      return countText(JSON.stringify(block.opaque));
    default:
      return PER_MEDIA;
  }
}

/** An estimate of the tokens of a message; counted once for each message object. */
export const countMessage = perObject(({ content }: Msg): number =>
  content.reduce((sum, block) => sum + countBlock(block), PER_MESSAGE),
);

/** An estimate of what a list of tools adds to a request; counted once for each list. */
export const countTools = perObject((tools: readonly object[]): number =>
  tools.length === 0 ? 0 : countText(JSON.stringify(tools)),
);

/** An estimate of the tokens of content. */
export function countContent(content: readonly Block[]): number {
  return content.reduce((sum, block) => sum + countBlock(block), 0);
}

/** The part of {@link countContent} that is for images, sounds and films. */
export function countMedia(content: readonly Block[]): number {
  return content.reduce((sum, block) => {
    if (block.type === "tool_result") return sum + countMedia(block.output);
    return isMediaBlock(block) ? sum + PER_MEDIA : sum;
  }, 0);
}

/** Context windows of models in tokens, by what their names begin with, as their providers state them; the longest match counts. A
 *  prefix such as "openai/" is ignored. */
const WINDOWS: { readonly [name: string]: number } = {
  "gpt-3.5-turbo": 16_385,
  "gpt-4": 8_192,
  "gpt-4-turbo": 128_000,
  "gpt-4o": 128_000,
  "gpt-4.1": 1_047_576,
  "gpt-5": 272_000,
  o1: 200_000,
  o3: 200_000,
  "o4-mini": 200_000,
  claude: 200_000,
  "gemini-1.5": 1_048_576,
  "gemini-2": 1_048_576,
  "mistral-large": 131_072,
  "mistral-medium": 131_072,
  "mistral-small": 131_072,
  codestral: 256_000,
  "deepseek-chat": 128_000,
  "deepseek-reasoner": 128_000,
  "grok-3": 131_072,
  "grok-4": 256_000,
  "kimi-k2": 131_072,
  "qwen-max": 32_768,
  "qwen-plus": 131_072,
  "qwen-turbo": 131_072,
  "qwen3-max": 262_144,
  "llama-3.1": 131_072,
  "llama-3.3": 131_072,
};

const LONGEST_FIRST = Object.entries(WINDOWS).toSorted(([a], [b]) => b.length - a.length);

/** The last name that was looked for: most agents of a process have one model. */
let last: { readonly name: string; readonly tokens: number | undefined } | undefined;

/** Returns the context window of a model of this name, in tokens; undefined if it is not known. */
export function knownWindow(name: string): number | undefined {
  if (last?.name === name) return last.tokens;
  const model = name.toLowerCase().split("/").at(-1)!;
  const tokens = LONGEST_FIRST.find(([prefix]) => model.startsWith(prefix))?.[1];
  last = { name, tokens };
  return tokens;
}
