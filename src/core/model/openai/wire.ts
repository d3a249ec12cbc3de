import type { Json, JsonObject } from "../../base/json.ts";

/** One part of a message that is more than text. Video is not specified by OpenAI; this is the form of DashScope and vLLM. */
export type ChatContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "input_audio"; readonly input_audio: { readonly data: string; readonly format: string } }
  | { readonly type: "video_url"; readonly video_url: { readonly url: string } };

/** One part of an assistant message that holds thinking, as Mistral sends it; or any other part of the server's own. */
export type ChatAnswerPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "thinking";
      readonly thinking: readonly { readonly type: "text"; readonly text: string }[];
    }
  | JsonObject;

/** A tool call of an assistant message. */
export type ChatToolCall = {
  readonly id: string;
  readonly type: "function";
  /** `arguments` is always a JSON object as a string. */
  readonly function: { readonly name: string; readonly arguments: string };
  /** Data that Gemini's compatible endpoint expects to be sent back with a call. */
  readonly extra_content?: Json;
};

/** A message of a Chat Completions request. */
export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly name?: string; readonly content: string | readonly ChatContentPart[] }
  | {
      readonly role: "assistant";
      readonly name?: string;
      /** Parts only for servers that take thinking as a part of the content. */
      readonly content: string | readonly ChatAnswerPart[];
      readonly reasoning_content?: string;
      readonly reasoning?: string;
      /** Data that OpenRouter expects to be sent back with thinking: signatures, encrypted parts. */
      readonly reasoning_details?: readonly Json[];
      readonly tool_calls?: readonly ChatToolCall[];
    }
  | {
      readonly role: "tool";
      readonly tool_call_id: string;
      readonly content: string | readonly ChatContentPart[];
    };

/** A tool that a request offers. */
export type ChatTool = {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonObject };
};

/** The tool that the model must call. */
export type ChatToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } };

/** The body of a Chat Completions request; `extraBody` may add other fields. */
export type ChatRequest = {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream: boolean;
  readonly stream_options?: Json;
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: ChatToolChoice;
  readonly response_format?: Json;
  readonly [field: string]: unknown;
};

/** The usage that a server reports. Which fields are present differs; see `usage.ts`. */
export type WireUsage = {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly total_tokens?: number | null;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number | null;
    readonly cache_write_tokens?: number | null;
    readonly cache_creation_input_tokens?: number | null;
  } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
  readonly prompt_cache_hit_tokens?: number | null;
  readonly cached_tokens?: number | null;
  readonly num_cached_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
};

/** The name and the arguments of a call, or a piece of them. */
export type WireFunction = {
  readonly name?: string | null;
  readonly arguments?: string | JsonObject | readonly Json[] | null;
};

export type WireToolDelta = {
  readonly index?: number | string | null;
  readonly id?: string | null;
  readonly function?: WireFunction | null;
  readonly extra_content?: Json | null;
};

/** A string, or (Mistral's reasoning models) an array of text and thinking. */
export type WireContent = string | readonly (WireContentPart | null)[] | null;
export type WireContentPart = {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: string | readonly { readonly text?: string }[];
};

export type WireDelta = {
  readonly content?: WireContent;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly JsonObject[] | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly (WireToolDelta | null)[] | null;
  /** The one call of an answer, as servers sent it before there was `tool_calls`. */
  readonly function_call?: WireFunction | null;
  /** Images that the model made, as OpenRouter sends them. */
  readonly images?: readonly ({ readonly image_url?: { readonly url?: string } } | null)[] | null;
};

/** One chunk of a stream, or a whole answer. Compatible servers may leave out any field. */
export type WireChunk = {
  readonly id?: string | null;
  readonly choices?:
    | readonly {
        readonly index?: number | string | null;
        readonly delta?: WireDelta | null;
        readonly message?: WireDelta | null;
        readonly finish_reason?: unknown;
        readonly usage?: WireUsage | null;
        readonly error?: unknown;
      }[]
    | null;
  readonly usage?: WireUsage | null;
  readonly x_groq?: { readonly usage?: WireUsage | null; readonly error?: unknown } | null;
  readonly error?: unknown;
};
