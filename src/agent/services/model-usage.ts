import type { Block, Usage } from "../../core/message/types.ts";
import type { ModelRequest } from "../../core/model/port.ts";
import { ofEach, piecesOf } from "../../core/model/request-messages.ts";
import { countContent, countMedia, countMessage, countTools } from "../../core/model/tokens.ts";
import { wholeUsage } from "../../core/model/usage.ts";
import { sizeOfContent } from "../../core/message/size.ts";
import type { Host } from "./host.ts";

const TOKENS = Symbol("tokens");
const MEDIA = Symbol("media");

function promptTokens(request: ModelRequest): number {
  const counts = ofEach(piecesOf(request), TOKENS, ({ messages }) =>
    messages.reduce((sum, message) => sum + countMessage(message), 0),
  );
  return counts.reduce((sum, count) => sum + count, countTools(request.tools));
}

/** A reported count is believed if it is at least this share of our own, less what our own may be wrong by in a short text. */
const [SHARE, SLACK] = [1 / 4, 1_000];

const isBelieved = (count: number, ours: number): boolean => count >= (ours - SLACK) * SHARE;

/** Returns the usage that the provider reported, without a prompt of 0 tokens, which no request has; undefined if the answer has 0
 *  tokens too. */
export function reportedUsage(usage: Usage | undefined): Usage | undefined {
  if (!usage) return undefined;
  const whole = wholeUsage(usage);
  const { inputTokens, ...rest } = whole;
  if (inputTokens !== 0) return whole;
  return rest.outputTokens === 0 ? undefined : rest;
}

/** Returns the possible error of our own count of the prompt: only its provider knows what media are. */
function mediaTokens(request: ModelRequest): number {
  const counts = ofEach(piecesOf(request), MEDIA, ({ messages }) =>
    messages.reduce((sum, { content }) => sum + countMedia(content), 0),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The tokens of the prompt, unless the provider reported so few that it cannot be: then our own count. `size` is a quick one, which
 *  says when it is worth to count. */
function believedInput(count: number, request: ModelRequest, size: number): number {
  if (isBelieved(count, size)) return count;
  const ours = promptTokens(request);
  return isBelieved(count, ours - mediaTokens(request)) ? count : ours;
}

function believedOutput(count: number, content: readonly Block[]): number {
  if (count === 0 && content.length === 0) return count;
  if (count > 0 && isBelieved(count, sizeOfContent(content))) return count;
  const ours = countContent(content);
  return count > 0 && isBelieved(count, ours - countMedia(content)) ? count : Math.max(ours, count);
}

/** Returns the reported usage, completed with counts of the local tokenizer. They stand for what the provider left out, and in the place of
 *  what is less than a quarter of them. `size` is our quick count of the prompt. */
export function completeUsage(
  reported: Usage | undefined,
  request: ModelRequest,
  content: readonly Block[],
  size = 0,
): Usage {
  const { cachedInputTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = reported ?? {};
  const { inputTokens: input, outputTokens: output } = reported ?? {};
  const inputTokens =
    input === undefined
      ? Math.max(promptTokens(request), cachedInputTokens + cacheWriteTokens)
      : believedInput(input, request, size);
  const outputTokens =
    output === undefined ? Math.max(countContent(content), reasoningTokens) : believedOutput(output, content);
  if (reported && inputTokens === input && outputTokens === output) return reported;
  return { ...reported, inputTokens, outputTokens, estimated: true };
}

/** Returns the cost of an answer, in the currency of `modelOptions.prices`; undefined if the model has no price. */
export function costOf({ config }: Host, model: string, usage: Usage): number | undefined {
  const price = config.modelOptions?.prices?.[model];
  if (!price) return undefined;
  const {
    inputTokens = 0,
    outputTokens = 0,
    cachedInputTokens: cached = 0,
    cacheWriteTokens: written = 0,
  } = usage;
  const { cachedInput = price.input, cacheWrite = price.input } = price;
  const rest = Math.max(0, inputTokens - cached - written);
  const input = rest * price.input + cached * cachedInput + written * cacheWrite;
  return (input + outputTokens * price.output) / 1_000_000;
}
