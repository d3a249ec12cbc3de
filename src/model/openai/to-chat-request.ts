import type { JsonObject } from "../../base/json.ts";
import type { GenerateOptions, ModelRequest, ToolChoice, ToolSpec } from "../port.ts";
import { dialectOf, OPENAI_BASE_URL, type ChatDialect } from "./dialect.ts";
import { toChatMessages, type ChatFormatter } from "./to-chat-messages.ts";
import type { ChatRequest, ChatTool, ChatToolChoice } from "./wire.ts";

/** Which model is asked and how its server differs. Absent fields of the dialect follow from `baseURL`, which is
 *  OpenAI's unless given; thinking is sent back unless `sendReasoning` says no. */
export type ToChatRequestOptions = {
  readonly model: string;
  readonly baseURL?: string;
  readonly formatter?: ChatFormatter;
} & Partial<ChatDialect>;

/**
 * The body of a streaming Chat Completions request.
 *
 * `tools` and `tool_choice` are absent if there are no tools. `thinkingBudget` becomes `enable_thinking` and
 * `thinking_budget`, the fields of DashScope (a budget of 0 turns thinking off); other servers may refuse them.
 * `extraBody` is merged last and may replace any field but `messages` and `stream`.
 */
export function toChatRequest(request: ModelRequest, options: ToChatRequestOptions): ChatRequest {
  const { model, baseURL = OPENAI_BASE_URL, sendReasoning = true, formatter = "chat" } = options;
  const { maxTokensField, toolMedia, strictNames, sendNames } = { ...dialectOf(baseURL), ...options };
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
    messages: toChatMessages(request.messages, {
      sendReasoning,
      toolMedia,
      strictNames,
      sendNames,
      formatter,
    }),
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
