// src/core/message defines messages and their blocks: types, constructors, checks, and the transcript of a session.
import type { ErrorCode } from "../base/error.ts";
import type { Json, JsonObject } from "../base/json.ts";

/** If true under this key in a message's metadata, the message is not merged into a conversation. AgentScope's name. */
export const BYPASS_KEY = "_bypass_multiagent_history_merge";

/** The source of the bytes of a media block: a URL, or a base64 string with its media type. */
export type Source =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "base64"; readonly mediaType: string; readonly data: string };

/** `opaque` is data of the provider, such as a signature of its thinking. It is stored, and sent back verbatim by the model adapter
 *  that wrote it. */
type Opaque = { readonly opaque?: Json };

/** Text, as a user wrote it or as the model answered. */
export type TextBlock = Opaque & { readonly type: "text"; readonly text: string };
/** The model's reasoning, if the provider shows it. It is not part of `textOf`. */
export type ThinkingBlock = Opaque & { readonly type: "thinking"; readonly thinking: string };
/** An image, a sound or a film, in a message or in a tool's result. */
export type MediaBlock = Opaque & { readonly type: "image" | "audio" | "video"; readonly source: Source };

/** A tool call that the model asks for. */
export type ToolUseBlock = Opaque & {
  readonly type: "tool_use";
  /** Unique in the session: a repeated or empty id of the provider is replaced. */
  readonly id: string;
  readonly name: string;
  /** The arguments; `{}` if the model's argument string is not a JSON object. */
  readonly input: JsonObject;
  /** The model's argument string, only if it is not a JSON object; the call is then answered with an error and does not run. */
  readonly rawInput?: string;
  /** The provider's id, only if it was replaced; requests to the provider use it. */
  readonly providerId?: string;
};

/** The outcome of a tool call: `error` (it failed), `denied` (it did not run), `interrupted` (it was cut off), or `suspended` (it waits for
 *  an answer from outside). */
export type ToolResultState = "success" | "error" | "denied" | "interrupted" | "suspended";

/** Who has changed something: a hook, by its name, or a person, by the name that came with the decision; null if none came. */
export type ChangedBy = { readonly hook: string } | { readonly person: string | null };

/** A value, or how many characters of JSON it has if it is too long to be recorded. */
export type Recorded<Field extends string, Value> =
  | { readonly [Key in Field]: Value }
  | { readonly omitted: number };

/** The account of a tool call beside its result. Each part is there only if there is something to say: of a call that ran at once, with the
 *  arguments that the model gave, nothing is. Times are epoch ms. Models do not read it. */
export type CallAccount = {
  /** The changes of its arguments, in order, each time with those after it. */
  readonly changed?: readonly ({ readonly by: ChangedBy; readonly at: number } & Recorded<
    "input",
    JsonObject
  >)[];
  /** The reasons for which a person was asked. */
  readonly asked?: readonly { readonly at: number; readonly reason: string }[];
  /** The decisions about the call. `by`: who, as the caller of `decide` said; `via`: what sent it, unless it was the program that uses the
   *  agent. With `hook`, no person has decided, but this hook. */
  readonly decided?: readonly {
    readonly at: number;
    readonly decision: "approve" | "deny" | "retry" | "edit" | "answer" | "respond" | "decline" | "cancel";
    readonly by?: string;
    readonly via?: string;
    readonly hook?: string;
    /** The id of the question that was answered. */
    readonly ask?: string;
  }[];
  /** The attempts before the last one. Without `endedAt` it is not known when it ended, and whether it took effect: its process ended.
   *  `process` names the process in which it ran, as {@link TakeOver} does; absent: that is not known, or the session is not stored. */
  readonly attempts?: readonly {
    readonly attempt: number;
    readonly process?: string;
    readonly startedAt: number;
    readonly endedAt?: number;
    readonly code?: ErrorCode;
    readonly error: string;
  }[];
  /** The process in which the last attempt began, if there were others before and it is known. */
  readonly process?: string;
  /** The effects of rules on it. It was put behind other calls of its batch, it broke a rule and was denied, asked about or ended the turn,
   *  or a rule that only notes would have stopped it. */
  readonly rules?: readonly {
    readonly rule: string;
    readonly at: number;
    readonly did: "ordered" | "denied" | "asked" | "ended" | "shadow";
  }[];
  /** The value that `execute` received, if the tool's schema or its presets have changed the arguments. Of presets it has the names only. */
  readonly ran?: Partial<Recorded<"input", Json>> & { readonly presets?: readonly string[] };
  /** The hooks that changed the result, in order, each with the state before. What it said before is in no message: a hook may hide it. */
  readonly results?: readonly {
    readonly by: ChangedBy;
    readonly at: number;
    readonly state: ToolResultState;
  }[];
};

/** That a session was taken over from a holder that had not released it: its process died, or stalled for longer than its lease. */
export type TakeOver = {
  /** The process that had the session, such as "pid 17 on host (1f0c2b9a)": text, of at most 120 characters. */
  readonly from: string;
  /** Epoch ms at which its lease ended, or would have. */
  readonly until: number;
  /** The process that took it, as text. */
  readonly by: string;
  /** The number of holders in a row that had not released it. */
  readonly takeovers: number;
  /** True if it was in the middle of a turn. */
  readonly isUnfinished: boolean;
};

/** The result of a tool call. */
export type ToolResultBlock = {
  readonly type: "tool_result";
  /** The id of the call. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
  /** The content that the model reads. */
  readonly output: readonly (TextBlock | MediaBlock)[];
  readonly state: ToolResultState;
  /** The code of the error, if `state` is `error`, such as `tool/timeout`. */
  readonly code?: ErrorCode;
  /** Data of the tool for the caller; the model does not read it. */
  readonly metadata?: JsonObject;
  readonly account?: CallAccount;
};

/** Data of a provider that is not text, media or a call, such as a compacted conversation. It is stored, never shown or read, and sent
 *  back verbatim by the model adapter that received it. */
export type ProviderBlock = {
  readonly type: "provider";
  /** The kind of the block, in the words of the provider, such as `openai.compaction`. */
  readonly kind: string;
  readonly opaque: Json;
};

/** One part of a message. */
export type Block = TextBlock | ThinkingBlock | MediaBlock | ToolUseBlock | ToolResultBlock | ProviderBlock;

/** Tokens, time and cost of one answer, or of a turn. A missing count is unknown, never 0. */
export type Usage = {
  /** Tokens of the prompt, the cached ones included. */
  readonly inputTokens?: number;
  /** Tokens of the answer, those for reasoning included. */
  readonly outputTokens?: number;
  /** Tokens of the prompt that the provider had cached. */
  readonly cachedInputTokens?: number;
  /** Tokens of the prompt that the provider put into its cache, if it says so. */
  readonly cacheWriteTokens?: number;
  /** Tokens of the answer that the model spent on reasoning. */
  readonly reasoningTokens?: number;
  /** Time of the model calls, ms. */
  readonly durationMs?: number;
  /** True if the provider left out a count and it comes from a local tokenizer. */
  readonly estimated?: boolean;
  /** In the currency of the `modelOptions.prices` option; absent if the model has no price. */
  readonly cost?: number;
};

/**
 * The reason for which a turn ended or is suspended. AgentScope calls it GenerateReason. `MODEL_STOP`: the model answered without tool
 * calls. `STRUCTURED_OUTPUT`: it gave the structured answer. `TOOL_SUSPENDED`, `APPROVAL_REQUIRED` and `OUTCOME_UNKNOWN`: calls wait for a
 * result, an approval, or a decision after a crash. `REASONING_STOP_REQUESTED` and `ACTING_STOP_REQUESTED`: a hook asked to stop.
 * `INTERRUPTED`: by the caller, its signal or its time-out. `MAX_ITERATIONS`: the iteration limit was reached and the reply is a summary.
 * `BUDGET_EXCEEDED`: a limit of `budget` was reached. `BREAKPOINT`: a breakpoint holds before a request. `SHUTDOWN`: the agent was shut down. `ERROR`: the turn failed.
 */
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
  "BREAKPOINT",
  "SHUTDOWN",
  "ERROR",
] as const;
/** One of {@link REASONS}. */
export type Reason = (typeof REASONS)[number];

/** The reasons with which a turn rests that goes on later: it waits for something, or for another process. */
export const GOES_ON: ReadonlySet<Reason> = new Set([
  "TOOL_SUSPENDED",
  "APPROVAL_REQUIRED",
  "OUTCOME_UNKNOWN",
  "REASONING_STOP_REQUESTED",
  "ACTING_STOP_REQUESTED",
  "BUDGET_EXCEEDED",
  "BREAKPOINT",
  "SHUTDOWN",
]);

/** A limit that a turn has reached: its name, as in `budget` or `maxIters`, what it allowed, and what was used. */
export type ReachedLimit = { readonly name: string; readonly allowed: number; readonly used: number };

/** The reason for which an answer ended. `unknown` covers every reason of a provider that has no equivalent here. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "unknown";

/** Who a message is from: `tool` messages hold results only. */
export type Role = "system" | "user" | "assistant" | "tool";

/** One message. It is plain JSON, and deeply frozen once an agent has accepted it. */
export type Msg = {
  /** Unique in the session. */
  readonly id: string;
  readonly role: Role;
  /** Who speaks: a user's or an agent's name; the role if there is no other. */
  readonly name: string;
  readonly content: readonly Block[];
  /** Data of the caller; models do not read it. On messages of a model, what the provider says about the answer, such as its
   *  `responseId` and citations, the `persona` that gave it, and the `sources` that it was shown (`sourcesOf`). */
  readonly metadata: JsonObject;
  /** The time at which the message was made, epoch ms. */
  readonly timestamp: number;
  /** Set on messages that ended a turn. */
  readonly reason?: Reason;
  /** Set on messages of a model. */
  readonly usage?: Usage;
  /** The reason for which the model ended the answer, unless it came to its end by itself (`stop`, `tool_calls`): the answer may not be
   *  whole. */
  readonly finishReason?: FinishReason;
  /** The name of the hook that added the message. */
  readonly addedBy?: string;
  /** The names of the hooks that changed its content, in order. What it was before is in no message: a hook may hide it. */
  readonly changedBy?: readonly string[];
};
