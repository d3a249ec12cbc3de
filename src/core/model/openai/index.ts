// src/core/model/openai adapts servers that speak Chat Completions to the model port.
export type { ChatCompletionsClient } from "./client.ts";
export { dashscopeModel, type DashScopeModelOptions } from "./dashscope-model.ts";
export type { ChatDialect } from "./dialect.ts";
export type { DialectName } from "../host-rules.ts";
export { openaiEmbedder, type EmbeddingsClient, type OpenAIEmbedderOptions } from "./openai-embedder.ts";
export { openaiModel, type OpenAIModelOptions } from "./openai-model.ts";
export type { ResponsesOptions } from "./responses-request.ts";
export { toChatMessages, type ChatFormatter, type ToChatMessagesOptions } from "./to-chat-messages.ts";
export { toChatRequest, type ToChatRequestOptions } from "./to-chat-request.ts";
export type {
  ChatAnswerPart,
  ChatContentPart,
  ChatMessage,
  ChatRequest,
  ChatTool,
  ChatToolCall,
  ChatToolChoice,
} from "./wire.ts";
