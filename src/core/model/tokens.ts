import { AgentError } from "../base/error.ts";
import { byteLength } from "../base/platform.ts";
import type { Block, Msg } from "../message/types.ts";
import { loadTokenizer } from "./load-tokenizer.cjs";

/** The tokenizer is quadratic in runs without a break, and in runs of spaces; an estimate may cut them. */
const LONG_RUN = /(\S{400}|\s{400})/;
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
    throw new AgentError(
      "config/invalid",
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
  if (text.length <= 3 * PART) return countWhole(text);
  const middle = Math.floor((text.length - PART) / 2);
  const parts = [0, middle, text.length - PART].map((at) => countWhole(text.slice(at, at + PART)));
  return Math.round((parts.reduce((sum, count) => sum + count) / (3 * PART)) * text.length);
}

function countWhole(text: string): number {
  const pieces = text.match(LONG_RUN) ? text.split(LONG_RUN) : [text];
  return pieces.reduce((sum, piece) => sum + countPiece(piece), 0);
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

const counted = new WeakMap<object, number>();

function once(key: object, count: () => number): number {
  let tokens = counted.get(key);
  if (tokens === undefined) {
    tokens = count();
    counted.set(key, tokens);
  }
  return tokens;
}

/** An estimate of the tokens of a message; counted once for each message object. */
export function countMessage(message: Msg): number {
  return once(message, () => message.content.reduce((sum, block) => sum + countBlock(block), PER_MESSAGE));
}

/** An estimate of what a list of tools adds to a request; counted once for each list. */
export function countTools(tools: readonly object[]): number {
  return tools.length === 0 ? 0 : once(tools, () => countText(JSON.stringify(tools)));
}

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

const isMediaBlock = ({ type }: Block): boolean => type === "image" || type === "audio" || type === "video";
