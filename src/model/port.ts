// src/model defines the model port, which adapters implement, and what holds for every model: folding, retries, tokens.
import type { AgentError } from "../base/error.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { MediaBlock, Msg, Usage } from "../message/types.ts";

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** A tool as the model sees it. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
};

/** What a model call may be asked for. A field that is absent is left to the provider. */
export type GenerateOptions = {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly maxTokens?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly reasoningEffort?: string;
  readonly thinkingBudget?: number;
  readonly toolChoice?: ToolChoice;
  /** Merged into the request body as it is. */
  readonly extraBody?: JsonObject;
  readonly extraHeaders?: { readonly [name: string]: string };
};

/** Time-outs and retries. `timeoutMs` bounds one attempt, `idleTimeoutMs` the gap between chunks (of a tool: what it emits);
 *  `Infinity` is no limit. Only the chart retries, and a model only before the first delivered part. After a restore the
 *  attempts are counted on and a back-off ends when it would have; an attempt that was cut off is made again, as the
 *  next one, with its own time (as Temporal's start-to-close time-out does: the time without a process is nobody's). */
export type Execution = {
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly maxAttempts?: number;
  readonly initialBackoffMs?: number;
  readonly maxBackoffMs?: number;
  readonly backoffMultiplier?: number;
  readonly retryOn?: "retryable" | "all" | ((error: AgentError) => boolean);
};

export type ModelRequest = {
  /** The system message, if any, comes first; always provider-valid: each tool call has its result right after it. */
  readonly messages: readonly Msg[];
  /** In stable order; empty while summarising. */
  readonly tools: readonly ToolSpec[];
  /** Effective, after hooks. */
  readonly options: GenerateOptions;
  /** What the chart enforces; for information only. */
  readonly execution: Execution;
  /** Only if the model declares `capabilities.structuredOutput`. */
  readonly output?: { readonly name: string; readonly schema: JsonObject };
};

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "unknown";

/** One piece of an answer. Parts of the same tool call carry the same `key`; the last `usage` counts. */
export type StreamPart =
  | { readonly type: "text.delta" | "thinking.delta"; readonly delta: string; readonly opaque?: Json }
  | { readonly type: "media"; readonly block: MediaBlock }
  | {
      readonly type: "tool.delta";
      readonly key: string | number;
      readonly id?: string;
      readonly name?: string;
      /** Raw argument text, appended to what came before. */
      readonly args?: string;
      /** Parsed arguments, merged over those that came before; complete raw text wins over them. */
      readonly input?: JsonObject;
      readonly opaque?: Json;
    }
  | { readonly type: "usage"; readonly usage: Usage }
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      readonly raw?: string;
      readonly responseId?: string;
    };

/** The model port. An adapter converts; it never retries, falls back, reads the environment or logs. */
export interface ChatModel {
  readonly name: string;
  readonly capabilities?: { readonly structuredOutput?: boolean; readonly contextTokens?: number };
  /** One request per call. Fails by throwing an AgentError `model/…` with `isRetryable` and `retryAt` read from
   *  the wire; anything else thrown becomes `model/failed` with the same message. On abort it ends or throws at once. */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<StreamPart>;
}
