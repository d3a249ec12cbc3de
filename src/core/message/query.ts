import type { Block, FinishReason, Msg, ToolResultBlock, ToolUseBlock, Usage } from "./types.ts";

/**
 * Returns the text blocks of a message, joined by newlines; "" if it has none. Thinking is not text.
 *
 * @example
 * ```ts
 * import { textOf, userMsg } from "agentchart";
 *
 * console.log(textOf(userMsg("Hello!"))); // Hello!
 * ```
 */
export function textOf(msg: Msg): string {
  return msg.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/**
 * Returns the tool calls of a message, in the order in which the model asked for them; empty if it has none.
 *
 * @example
 * ```ts
 * import { defineHook, toolUsesOf } from "agentchart";
 *
 * const logCalls = defineHook({
 *   name: "log-calls",
 *   postReasoning: ({ message }) => {
 *     for (const { name, input } of toolUsesOf(message)) console.log(name, input);
 *   },
 * });
 * ```
 */
export function toolUsesOf(msg: Msg): ToolUseBlock[] {
  return msg.content.filter((block) => block.type === "tool_use");
}

/**
 * Returns the tool results of a message, in their order; empty if it has none.
 *
 * @example
 * ```ts
 * import { toolResultsOf, type Agent } from "agentchart";
 *
 * async function failedCalls(agent: Agent): Promise<string[]> {
 *   const results = (await agent.messages()).flatMap(toolResultsOf);
 *   return results.filter(({ state }) => state === "error").map(({ name }) => name);
 * }
 * ```
 */
export function toolResultsOf(msg: Msg): ToolResultBlock[] {
  return msg.content.filter((block) => block.type === "tool_result");
}

/** Returns true if a message has a block of this type. Makes no list and no function: it is asked of each message of a long history,
 *  and few have such a block. */
export function hasBlock({ content }: Msg, type: Block["type"]): boolean {
  for (let index = 0; index < content.length; index++) if (content[index]!.type === type) return true;
  return false;
}

/** Returns true if a user would see something: text that is not blank, or media. */
export function hasVisibleContent(content: readonly Block[]): boolean {
  return content.some(
    (block) =>
      (block.type === "text" && block.text.trim() !== "") ||
      block.type === "image" ||
      block.type === "audio" ||
      block.type === "video",
  );
}

/** Returns the reason for which the model ended a message of its; undefined for a message that is not of a model. */
export function finishReasonOf(message: Msg): FinishReason | undefined {
  if (message.role !== "assistant" || !message.usage) return undefined;
  return message.finishReason ?? (toolUsesOf(message).length > 0 ? "tool_calls" : "stop");
}

/** Adds two usages. A count that neither has stays unknown; a cost is known only if both are. */
export function addUsage(total: Usage, usage: Usage | undefined): Usage {
  if (!usage) return total;
  if (Object.keys(total).length === 0) return usage;
  const sum: { -readonly [K in keyof Usage]: number | boolean } = { ...total };
  for (const key of [
    "inputTokens",
    "outputTokens",
    "cachedInputTokens",
    "cacheWriteTokens",
    "reasoningTokens",
    "durationMs",
  ] as const) {
    const added = usage[key];
    if (added !== undefined) sum[key] = (total[key] ?? 0) + added;
  }
  if (total.cost !== undefined && usage.cost !== undefined) sum.cost = total.cost + usage.cost;
  else delete sum.cost;
  if (usage.estimated) sum.estimated = true;
  return sum as Usage;
}
