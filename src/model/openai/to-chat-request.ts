import type { JsonObject } from "../../base/json.ts";
import type { GenerateOptions, ModelRequest, ToolChoice, ToolSpec } from "../port.ts";
import { dialectOf, OPENAI_BASE_URL, type ChatDialect } from "./dialect.ts";
import { toChatMessages, type ChatFormatter } from "./to-chat-messages.ts";
import type { ChatRequest, ChatTool, ChatToolChoice } from "./wire.ts";

/** Options of {@link toChatRequest}. Options of the dialect default to those of the server at `baseURL`, but `sendReasoning` to
 *  true. */
export type ToChatRequestOptions = {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** Default: OpenAI's. */
  readonly baseURL?: string;
  /** Default `chat`. */
  readonly formatter?: ChatFormatter;
} & Partial<ChatDialect>;

/**
 * Returns the body of a streaming Chat Completions request.
 *
 * `tools` and `tool_choice` are absent if there are no tools. `thinkingBudget` becomes `enable_thinking` and
 * `thinking_budget`, the fields of DashScope (a budget of 0 turns thinking off); other servers may refuse them.
 * `extraBody` is merged last and may replace any field but `messages` and `stream`.
 *
 * @example
 * ```ts
 * import { userMsg } from "agentchart";
 * import { toChatRequest } from "agentchart/openai";
 *
 * const request = { messages: [userMsg("Hello!")], tools: [], options: { maxTokens: 100 }, execution: {} };
 * const body = toChatRequest(request, { model: "gpt-4.1-mini" });
 * ```
 */
export function toChatRequest(request: ModelRequest, options: ToChatRequestOptions): ChatRequest {
  const dialect = dialectOf(options.baseURL ?? OPENAI_BASE_URL);
  return chatRequestOf(request, { ...dialect, sendReasoning: true, ...options });
}

/** As {@link toChatRequest}, with every option of the dialect. */
export function chatRequestOf(
  request: ModelRequest,
  { model, maxTokensField, ...format }: Omit<ToChatRequestOptions, keyof ChatDialect> & ChatDialect,
): ChatRequest {
  const { tools, output, options: generate } = request;
  return {
    model,
    stream_options: { include_usage: true },
    ...(tools.length > 0 && { tools: tools.map(toChatTool) }),
    ...(tools.length > 0 &&
      generate.toolChoice !== undefined && { tool_choice: toToolChoice(generate.toolChoice) }),
    ...(output && { response_format: { type: "json_schema", json_schema: output } }),
    ...toChatOptions(generate, maxTokensField),
    ...generate.extraBody,
    messages: toChatMessages(request.messages, format),
    stream: true,
  };
}

function toChatTool({ name, description, inputSchema }: ToolSpec): ChatTool {
  return { type: "function", function: { name, description, parameters: inputSchema } };
}

function toToolChoice(choice: ToolChoice): ChatToolChoice {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };
}

function toChatOptions(generate: GenerateOptions, maxTokensField: ChatDialect["maxTokensField"]): JsonObject {
  const { thinkingBudget } = generate;
  const fields = {
    temperature: generate.temperature,
    top_p: generate.topP,
    top_k: generate.topK,
    [maxTokensField]: generate.maxTokens,
    frequency_penalty: generate.frequencyPenalty,
    presence_penalty: generate.presencePenalty,
    seed: generate.seed,
    stop: generate.stop,
    reasoning_effort: generate.reasoningEffort,
    enable_thinking: thinkingBudget === undefined ? undefined : thinkingBudget > 0,
    thinking_budget: thinkingBudget === 0 ? undefined : thinkingBudget,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}
