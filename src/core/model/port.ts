// src/core/model defines the model port, which adapters implement, and what holds for every model: folding, retries, tokens.
import type { AgentError } from "../base/error.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { FinishReason, MediaBlock, Msg, ProviderBlock, Usage } from "../message/types.ts";

/** The tool that the model must call: any or none as it likes, none, at least one, or this one. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** A tool as the model sees it. */
export type ToolSpec = {
  readonly name: string;
  /** The model chooses by it. */
  readonly description: string;
  /** JSON Schema of the arguments, without preset properties. */
  readonly inputSchema: JsonObject;
};

/** A tool that a provider would refuse. */
export type LeftOutTool = {
  readonly name: string;
  /** The reason, in a sentence. */
  readonly reason: string;
};

/** Options of a model call. The provider decides about an option that is absent. Bounds are the provider's. */
export type GenerateOptions = {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  /** The most tokens of an answer. */
  readonly maxTokens?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly seed?: number | undefined;
  /** Strings at which the answer ends. */
  readonly stop?: readonly string[] | undefined;
  /** Such as "low", "medium" or "high". */
  readonly reasoningEffort?: string | undefined;
  /** The most tokens of reasoning; 0 turns it off. */
  readonly thinkingBudget?: number | undefined;
  /** Default: any or no tool. Ignored where no tool is offered. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Options of `agentchart/ai-sdk` for its provider, under the name of the provider. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject } | undefined;
  /** Fields that are merged into the request body as they are; not by `agentchart/ai-sdk`. */
  readonly extraBody?: JsonObject | undefined;
  /** HTTP headers of the request. */
  readonly extraHeaders?: { readonly [name: string]: string } | undefined;
};

/**
 * Time-outs and retries of a model call or a tool call. Defaults: a model call has 300 s, 3 attempts, and a back-off of 2 s that
 * doubles up to 30 s; a tool call has 300 s and one attempt. A model call is repeated only if no part of its answer was delivered.
 *
 * After a restore, attempts are counted on and a back-off ends when it would have ended. An attempt that the end of its process
 * cut off is repeated as the next attempt with its full time, as with Temporal's start-to-close time-out.
 */
export type Execution = {
  /** The longest time of one attempt, ms, above 0; `Infinity` for no limit. Then it fails with `model/timeout` or `tool/timeout`. */
  readonly timeoutMs?: number | undefined;
  /** The longest time between two chunks of an answer, pings included, or between two chunks that a tool emits, ms, above 0; default no limit. */
  readonly idleTimeoutMs?: number | undefined;
  /** An integer of at least 1. */
  readonly maxAttempts?: number | undefined;
  /** The delay before the second attempt, ms, less a jitter of up to one half; default 2,000 for models, 1,000 for tools. An error
   *  with a later `retryAt` lengthens it. */
  readonly initialBackoffMs?: number | undefined;
  /** The longest delay, ms; default 30,000 for models, 10,000 for tools. */
  readonly maxBackoffMs?: number | undefined;
  /** By what the delay grows with each attempt, at least 1; default 2. */
  readonly backoffMultiplier?: number | undefined;
  /** The errors that are retried. They are those with `isRetryable` (default for models), all (default for tools), or those for which the
   *  function returns true. */
  readonly retryOn?: "retryable" | "all" | ((error: AgentError) => boolean) | undefined;
};

/** One request to a model. */
export type ModelRequest = {
  /** The system message comes first, if there is one. Each tool call has its result directly after it, as providers require. A frozen
   *  array, which no later request changes; an agent makes it when it is first read. */
  readonly messages: readonly Msg[];
  /** In a stable order; empty for a summary. */
  readonly tools: readonly ToolSpec[];
  /** The effective options, after hooks. */
  readonly options: GenerateOptions;
  /** For information only: the chart enforces it. */
  readonly execution: Execution;
  /** The id of the session: the same for all its requests, so that a provider can send them to the machine whose cache has them. */
  readonly sessionId?: string | undefined;
  /** The structured answer that is asked for; only for models that declare `capabilities.structuredOutput`. */
  readonly output?: { readonly name: string; readonly schema: JsonObject } | undefined;
};

/**
 * One piece of a streamed answer. Parts of the same tool call have the same `key`. Of several usages the largest counts are taken;
 * a count of the answer that falls is added to those before it.
 *
 * An adapter puts `opaque` under a key of its own, such as `{ "openai": … }`, and sends back only what stands under this key: the
 * session may go on with the model of another provider.
 */
export type StreamPart =
  | {
      readonly type: "text.delta" | "thinking.delta";
      /** The new characters; may be empty, to begin a block or to add opaque data. */
      readonly delta: string;
      /** Parts with the same key belong to one block of their kind. With keys, the blocks of the answer stand in the order in which
       *  they were first seen. Without, all text is one block, and all thinking is one block before it. */
      readonly block?: string | number | undefined;
      /** Data for the block. Objects of one block are merged, the later value of a key wins. */
      readonly opaque?: Json | undefined;
    }
  | { readonly type: "media"; readonly block: MediaBlock }
  /** Data of the provider that is sent back verbatim. */
  | { readonly type: "provider"; readonly block: ProviderBlock }
  /** The provider is at work: `idleTimeoutMs` starts again. */
  | { readonly type: "ping" }
  | {
      readonly type: "tool.delta";
      readonly key: string | number;
      readonly id?: string | undefined;
      readonly name?: string | undefined;
      /** A piece of the argument string, appended to the earlier ones. */
      readonly args?: string | undefined;
      /** Parsed arguments, merged over the earlier ones. A complete argument string wins over them. */
      readonly input?: JsonObject | undefined;
      readonly opaque?: Json | undefined;
    }
  | { readonly type: "usage"; readonly usage: Usage }
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      /** The provider's word for the reason. */
      readonly raw?: string | undefined;
      /** The provider's id of the response; it becomes `metadata.responseId` of the message. */
      readonly responseId?: string | undefined;
      /** The other data that the provider gives about the answer, such as citations, cost or service tier; they become `metadata` of the
       *  message. */
      readonly metadata?: JsonObject | undefined;
    };

/** A model. An adapter converts requests and answers; it never retries, falls back or logs, and `stream`
 *  reads nothing from the environment. `modelContract` of
 *  `agentchart/testing` tests one. */
export interface ChatModel {
  /** Names the model in events and in `modelOptions.prices`. */
  readonly name: string;
  /** Names the provider in traces, such as "openai" or "anthropic"; default: not named. */
  readonly provider?: string | undefined;
  /** The URL to which the requests go; only its host and port appear in traces. */
  readonly endpoint?: string | undefined;
  /** The adapter of this package that makes the requests, and its options that decide about them, without secrets. It is recorded with
   *  each call, so that the inspector can show the raw request. A model that changes requests before it passes them on leaves it out. */
  readonly wire?: { readonly adapter: string; readonly options: JsonObject } | undefined;
  readonly capabilities?:
    | {
        /** True if the model keeps to a JSON Schema by itself; then `output` needs no extra tool. Default false. */
        readonly structuredOutput?: boolean | undefined;
        /** The size of the context window, tokens: prompts are kept within it, as the option `compaction` of an agent says. */
        readonly contextTokens?: number | undefined;
        /** False for a model that is code: its answers have no tokens and no cost. Default true. */
        readonly usesTokens?: boolean | undefined;
      }
    | undefined;
  /** Returns another model of the same server, with the same settings and without `capabilities`: a fork of a session may ask it. Absent:
   *  there is none. */
  readonly withName?: ((name: string) => ChatModel) | undefined;
  /** The most tools that the provider takes in a request; `Infinity` for no limit. Beyond it, an agent lets the model search for tools.
   *  Absent: it is not known. */
  readonly maxTools?: number | undefined;
  /** Returns which of these tools the provider would refuse, and would refuse the request for. An agent does not send them, and says so by the
   *  event `tool.omitted`. Absent: none is known. */
  readonly leftOut?: ((tools: readonly ToolSpec[]) => readonly LeftOutTool[]) | undefined;
  /** Sends one request and yields the parts of the answer. To fail, it throws an AgentError with a code `model/…`, and with the
   *  `isRetryable` and `retryAt` of the response; any other error becomes `model/failed` with its message. When `signal` aborts it
   *  ends or throws at once. */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<StreamPart>;
}
