import type { Block, Usage } from "../../message/types.ts";
import type { ModelRequest } from "../../model/port.ts";
import { countContent, countMessage, countTools } from "../../model/tokens.ts";
import type { Host } from "./host.ts";

function promptTokens({ messages, tools }: ModelRequest): number {
  return messages.reduce((sum, message) => sum + countMessage(message), countTools(tools));
}

/** Counts that are all 0 say nothing: no request is without tokens. */
export function saidUsage(usage: Usage | undefined): Usage | undefined {
  return usage && (usage.inputTokens !== 0 || usage.outputTokens !== 0) ? usage : undefined;
}

/** What the provider says, and local counts of the tokens it says nothing of. */
export function completeUsage(
  said: Usage | undefined,
  request: ModelRequest,
  content: readonly Block[],
): Usage {
  const { inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0 } = said ?? {};
  if (said && inputTokens !== undefined && outputTokens !== undefined) return said;
  return {
    ...said,
    inputTokens: inputTokens ?? Math.max(promptTokens(request), cachedInputTokens),
    outputTokens: outputTokens ?? Math.max(countContent(content), reasoningTokens),
    estimated: true,
  };
}

/** The price of an answer; unknown if the model has no price. */
export function costOf({ config }: Host, model: string, usage: Usage): number | undefined {
  const price = config.prices?.[model];
  if (!price) return undefined;
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens: cached = 0 } = usage;
  const input = (inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input);
  return (input + outputTokens * price.output) / 1_000_000;
}
