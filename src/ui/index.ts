// src/ui turns the events of agents into the protocols of user interfaces.
export type { AgUiEvent, AgUiInterrupt, AgUiMessage, AgUiState } from "./ag-ui-event.ts";
export type { AgUiRun } from "./ag-ui-run.ts";
export type { TurnMessage, UIPart } from "../core/event/conversation/message-fold.ts";
export { readChatRequest } from "./read-chat-request.ts";
export type { ChatRequest } from "./read-chat-request.ts";
export { readRunInput } from "./read-run-input.ts";
export type { RunInput } from "./read-run-input.ts";
export { sendAnswers } from "./send-answers.ts";
export { toAgUiEvents } from "./to-ag-ui-events.ts";
export { toUIMessageChunks } from "./to-ui-message-chunks.ts";
export { toUIMessages } from "./to-ui-messages.ts";
export type { TurnChunk, TurnMetadata } from "../core/event/conversation/ui-message-chunk.ts";
