import type { Json, JsonObject } from "../../base/json.ts";

/** One part of a message that is more than text. Video has no official shape; this is the one of DashScope and vLLM. */
export type ChatContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "input_audio"; readonly input_audio: { readonly data: string; readonly format: string } }
  | { readonly type: "video_url"; readonly video_url: { readonly url: string } };

export type ChatToolCall = {
  readonly id: string;
  readonly type: "function";
  /** `arguments` is always the text of a JSON object. */
  readonly function: { readonly name: string; readonly arguments: string };
  /** What Gemini's compatible endpoint wants back with a call. */
  readonly extra_content?: Json;
};

/** A message as Chat Completions takes it. */
export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly name?: string; readonly content: string | readonly ChatContentPart[] }
  | {
      readonly role: "assistant";
      readonly name?: string;
      readonly content: string;
      readonly reasoning_content?: string;
      readonly reasoning?: string;
      /** What OpenRouter wants back with thinking: signatures, encrypted parts. */
      readonly reasoning_details?: readonly Json[];
      readonly tool_calls?: readonly ChatToolCall[];
    }
  | {
      readonly role: "tool";
      readonly tool_call_id: string;
      readonly content: string | readonly ChatContentPart[];
    };

export type ChatTool = {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonObject };
};

export type ChatToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } };

/** The body of a streaming Chat Completions request; `extraBody` may add fields. */
export type ChatRequest = {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream: true;
  readonly stream_options?: Json;
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: ChatToolChoice;
  readonly response_format?: Json;
  readonly [field: string]: unknown;
};

/** What servers count. Which fields are there differs; see `usage.ts`. */
export type WireUsage = {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly total_tokens?: number | null;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
  readonly prompt_cache_hit_tokens?: number | null;
};

export type WireToolDelta = {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: {
    readonly name?: string | null;
    readonly arguments?: string | JsonObject | null;
  } | null;
  readonly extra_content?: Json | null;
};

/** Text, or (Mistral's reasoning models) parts of text and thinking. */
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
};

/** One chunk of a stream, or a whole answer: as the compatible servers send them, so nothing is certain to be there. */
export type WireChunk = {
  readonly id?: string | null;
  readonly choices?:
    | readonly {
        readonly index?: number | null;
        readonly delta?: WireDelta | null;
        readonly message?: WireDelta | null;
        readonly finish_reason?: string | null;
        readonly usage?: WireUsage | null;
      }[]
    | null;
  readonly usage?: WireUsage | null;
  readonly x_groq?: { readonly usage?: WireUsage | null } | null;
  readonly error?: unknown;
};
