import type { Block, FinishReason, Usage } from "../core/message/types.ts";

/** The answer of a provider as its server sent it, and what an adapter must make of it. */
export type ModelRecording = {
  /** Who answers so. */
  readonly provider: string;
  /** The API: Chat Completions, Responses, or that of Anthropic or Gemini. */
  readonly wire: "chat" | "responses" | "anthropic" | "gemini";
  /** The body of the response, a stream of events. */
  readonly body: string;
  /** The blocks of the message, without data of the provider; the ids of calls are not compared. */
  readonly content: readonly Block[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
};
