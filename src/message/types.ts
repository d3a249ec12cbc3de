import type { ErrorCode } from "../base/error.ts";
import type { Json, JsonObject } from "../base/json.ts";

/** Where the bytes of a media block are: an address, or base64 text with its media type. */
export type Source =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "base64"; readonly mediaType: string; readonly data: string };

/** Provider data (signature, reasoning item), kept and sent back verbatim, never read by us. */
type Opaque = { readonly opaque?: Json };

export type TextBlock = Opaque & { readonly type: "text"; readonly text: string };
export type ThinkingBlock = Opaque & { readonly type: "thinking"; readonly thinking: string };
export type MediaBlock = Opaque & { readonly type: "image" | "audio" | "video"; readonly source: Source };

/** A tool call. `id` is unique in the session: a repeated or empty provider id is replaced and the original
 *  kept in `providerId` for the wire. `input` is the one canonical input; `rawInput` is there only if the
 *  model's text was no JSON object. */
export type ToolUseBlock = Opaque & {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly rawInput?: string;
  readonly providerId?: string;
};

export type ToolResultState = "success" | "error" | "denied" | "interrupted" | "suspended";

/** What a tool call came to. `code` says which kind of error when `state` is `error`. */
export type ToolResultBlock = {
  readonly type: "tool_result";
  readonly id: string;
  readonly name: string;
  readonly output: readonly (TextBlock | MediaBlock)[];
  readonly state: ToolResultState;
  readonly code?: ErrorCode;
  readonly metadata?: JsonObject;
};

export type Block = TextBlock | ThinkingBlock | MediaBlock | ToolUseBlock | ToolResultBlock;

/** Tokens and time of one answer. `undefined` means that the provider did not say, never 0. */
export type Usage = {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
  readonly durationMs?: number;
  /** True if a count that the provider did not give comes from a local tokenizer. */
  readonly estimated?: boolean;
  readonly cost?: number;
};

/** Why a turn ended. AgentScope calls it GenerateReason. */
export const REASONS = [
  "MODEL_STOP",
  "STRUCTURED_OUTPUT",
  "TOOL_SUSPENDED",
  "APPROVAL_REQUIRED",
  "OUTCOME_UNKNOWN",
  "REASONING_STOP_REQUESTED",
  "ACTING_STOP_REQUESTED",
  "INTERRUPTED",
  "MAX_ITERATIONS",
  "BUDGET_EXCEEDED",
  "SHUTDOWN",
  "ERROR",
] as const;
export type Reason = (typeof REASONS)[number];

export type Role = "system" | "user" | "assistant" | "tool";

/** One message. `timestamp` is epoch ms; `reason` and `usage` are set on messages an agent made. */
export type Msg = {
  readonly id: string;
  readonly role: Role;
  readonly name: string;
  readonly content: readonly Block[];
  readonly metadata: JsonObject;
  readonly timestamp: number;
  readonly reason?: Reason;
  readonly usage?: Usage;
};
