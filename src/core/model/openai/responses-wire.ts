import type { Json, JsonObject } from "../../base/json.ts";

/** One part of what a user says or of what a tool gives back. */
export type InputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly detail: "auto"; readonly image_url: string }
  | {
      readonly type: "input_audio";
      readonly input_audio: { readonly data: string; readonly format: string };
    };

/** One part of an answer. */
export type OutputPart =
  | { readonly type: "output_text"; readonly text: string; readonly annotations: readonly Json[] }
  | { readonly type: "refusal"; readonly refusal: string };

/** An item of the input of a Responses request. */
export type InputItem =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly InputPart[] }
  | {
      readonly type: "message";
      readonly role: "assistant";
      readonly id?: string;
      readonly phase?: string;
      readonly status?: "completed";
      readonly content: readonly OutputPart[];
    }
  | {
      readonly type: "reasoning";
      readonly id: string;
      readonly summary: readonly { readonly type: "summary_text"; readonly text: string }[];
      readonly content?: readonly { readonly type: "reasoning_text"; readonly text: string }[];
      readonly encrypted_content?: string;
    }
  | {
      readonly type: "function_call";
      readonly id?: string;
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | {
      readonly type: "function_call_output";
      readonly call_id: string;
      readonly output: string | readonly InputPart[];
    }
  | JsonObject;

/** The body of a streaming Responses request; `extraBody` may add other fields. */
export type ResponsesRequest = {
  readonly model: string;
  readonly input: readonly InputItem[];
  readonly stream: true;
  readonly [field: string]: unknown;
};

/** A part of a message or of a reasoning item of an answer. */
export type WireItemPart = {
  readonly type?: string;
  readonly text?: string | null;
  readonly refusal?: string | null;
  readonly annotations?: readonly Json[] | null;
  readonly logprobs?: readonly Json[] | null;
};

/** An item of an answer. Compatible servers may leave out any field. */
export type WireItem = {
  readonly type?: string;
  readonly id?: string | null;
  readonly call_id?: string | null;
  readonly status?: string | null;
  readonly name?: string | null;
  readonly arguments?: string | null;
  readonly phase?: string | null;
  readonly encrypted_content?: string | null;
  readonly content?: readonly (WireItemPart | null)[] | null;
  readonly summary?: readonly (WireItemPart | null)[] | null;
  /** The bytes of an image that was made. */
  readonly result?: unknown;
  readonly output_format?: string | null;
};

export type WireResponsesUsage = {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly total_tokens?: number | null;
  readonly input_tokens_details?: {
    readonly cached_tokens?: number | null;
    readonly cache_write_tokens?: number | null;
    readonly cache_creation_input_tokens?: number | null;
  } | null;
  readonly output_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
};

/** A whole answer, or what is known of it. */
export type WireResponse = {
  readonly object?: string;
  readonly id?: string | null;
  readonly model?: string | null;
  readonly status?: string | null;
  readonly service_tier?: string | null;
  readonly error?: unknown;
  readonly incomplete_details?: { readonly reason?: string | null } | null;
  readonly output?: readonly (WireItem | null)[] | null;
  readonly usage?: WireResponsesUsage | null;
};

/** An event of the stream. */
export type WireEvent = {
  readonly type?: string;
  readonly output_index?: number | string | null;
  readonly item_id?: string | null;
  readonly name?: string | null;
  readonly arguments?: string | null;
  readonly error?: unknown;
  readonly content_index?: number;
  readonly summary_index?: number;
  readonly delta?: unknown;
  readonly item?: WireItem | null;
  readonly response?: WireResponse | null;
};
