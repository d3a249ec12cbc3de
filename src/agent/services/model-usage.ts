import type { Block, Usage } from "../../message/types.ts";
import type { ModelRequest } from "../../model/port.ts";
import { ofEach, piecesOf } from "../../model/request-messages.ts";
import { countContent, countMessage, countTools } from "../../model/tokens.ts";
import type { Host } from "./host.ts";

const TOKENS = Symbol("tokens");

function promptTokens(request: ModelRequest): number {
  const counts = ofEach(piecesOf(request), TOKENS, ({ messages }) =>
    messages.reduce((sum, message) => sum + countMessage(message), 0),
  );
  return counts.reduce((sum, count) => sum + count, countTools(request.tools));
}

/** Returns the usage that the provider reported; undefined for counts of 0, since every request has tokens. */
export function reportedUsage(usage: Usage | undefined): Usage | undefined {
  return usage && (usage.inputTokens !== 0 || usage.outputTokens !== 0) ? usage : undefined;
}

/** Returns the reported usage, with counts of the local tokenizer for what the provider left out. */
export function completeUsage(
  reported: Usage | undefined,
  request: ModelRequest,
  content: readonly Block[],
): Usage {
  const {
    inputTokens,
    outputTokens,
    cachedInputTokens = 0,
    cacheWriteTokens = 0,
    reasoningTokens = 0,
  } = reported ?? {};
  if (reported && inputTokens !== undefined && outputTokens !== undefined) return reported;
  return {
    ...reported,
    inputTokens: inputTokens ?? Math.max(promptTokens(request), cachedInputTokens + cacheWriteTokens),
    outputTokens: outputTokens ?? Math.max(countContent(content), reasoningTokens),
    estimated: true,
  };
}

/** Returns the cost of an answer, in the currency of `prices`; undefined if the model has no price. */
export function costOf({ config }: Host, model: string, usage: Usage): number | undefined {
  const price = config.prices?.[model];
  if (!price) return undefined;
  const {
    inputTokens = 0,
    outputTokens = 0,
    cachedInputTokens: cached = 0,
    cacheWriteTokens: written = 0,
  } = usage;
  const { cachedInput = price.input, cacheWrite = price.input } = price;
  const input = (inputTokens - cached - written) * price.input + cached * cachedInput + written * cacheWrite;
  return (input + outputTokens * price.output) / 1_000_000;
}
