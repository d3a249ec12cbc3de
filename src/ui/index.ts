// src/ui turns the events of agents into the protocols of user interfaces.
export { readChatRequest } from "./read-chat-request.ts";
export type { ChatRequest } from "./read-chat-request.ts";
export { toUIMessageChunks } from "./to-ui-message-chunks.ts";
export { toUIMessages } from "./to-ui-messages.ts";
export type { TurnMessage, UIPart } from "./to-ui-messages.ts";
export type { TurnChunk, TurnMetadata } from "./ui-message-chunk.ts";
