import type { ErrorInfo } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { Msg, ToolResultBlock, ToolUseBlock, Usage } from "../message/types.ts";
import type { FinishReason, GenerateOptions } from "../model/port.ts";
import type { PendingCall } from "../tool/pending.ts";
import type { Tool, ToolOutcome } from "../tool/types.ts";

/** What every hook receives. `signal` aborts when the turn is interrupted; for postReasoning, postActing and postSummary only
 *  when the grace period is over, so that what they make of an answer or a result still counts. */
export type At<Ctx = unknown> = {
  readonly agent: string;
  readonly sessionId: string;
  readonly turn: number;
  readonly iteration: number;
  readonly maxIters: number;
  readonly context: Ctx;
  readonly signal: AbortSignal;
};

/** The prompt of the model call that is about to start; `messages` without the system message. */
export type Prompt = {
  readonly messages: readonly Msg[];
  readonly system: string;
  readonly options: GenerateOptions;
  readonly tools: readonly string[];
  readonly model: string;
};

/** Changes for this one model call. Never stored; may run again after a crash. */
export type PromptPatch = {
  readonly messages?: readonly Msg[];
  readonly append?: readonly Msg[];
  readonly system?: string;
  readonly options?: GenerateOptions;
};

/** One streamed piece, with all of its block so far. */
export type Chunk = {
  readonly messageId: string;
  readonly kind: "text" | "thinking" | "tool_use";
  readonly delta: string;
  readonly soFar: string;
  readonly callId?: string;
  readonly name?: string;
  readonly usage?: Usage;
};

type Maybe<P> = P | void | Promise<P | void>;

/** Nothing returned = unchanged; returned fields replace; the next hook sees the change. Hooks run in ascending
 *  priority, then in order of registration. A hook that throws fails the turn with `hook/failed`. */
export type Hook<Ctx = unknown> = {
  readonly name: string;
  /** Default 100. */
  readonly priority?: number;
  /** Added to the agent's copy of the toolkit. */
  readonly tools?: readonly Tool<Ctx>[];
  /** Before anything of the call is stored. */
  readonly preCall?: (
    e: At<Ctx> & {
      readonly history: readonly Msg[];
      readonly input: readonly Msg[];
      readonly system: string;
    },
  ) => Maybe<{ readonly input?: readonly Msg[]; readonly system?: string }>;
  readonly preReasoning?: (e: At<Ctx> & Prompt) => Maybe<PromptPatch>;
  /** Before the message is stored. `stop` beats `goto`; `goto: []` asks the model again without a word. */
  readonly postReasoning?: (
    e: At<Ctx> & { readonly message: Msg; readonly finishReason: FinishReason },
  ) => Maybe<{ readonly message?: Msg; readonly stop?: boolean; readonly goto?: readonly Msg[] }>;
  /** For all calls of a batch before any of them runs; once per call. `deny` is the text the model reads. */
  readonly preActing?: (
    e: At<Ctx> & { readonly call: ToolUseBlock },
  ) => Maybe<{ readonly input?: JsonObject; readonly deny?: string }>;
  /** In call order; each result is stored before the hooks of the next run. */
  readonly postActing?: (
    e: At<Ctx> & { readonly call: ToolUseBlock; readonly result: ToolResultBlock },
  ) => Maybe<{ readonly result?: ToolOutcome; readonly stop?: boolean }>;
  readonly preSummary?: (e: At<Ctx> & Prompt) => Maybe<PromptPatch>;
  readonly postSummary?: (e: At<Ctx> & { readonly message: Msg }) => Maybe<{ readonly message?: Msg }>;
  /** After every turn that replies, suspended ones too; not after an interrupt or an error. */
  readonly postCall?: (e: At<Ctx> & { readonly reply: Msg }) => Maybe<{ readonly reply?: Msg }>;
  /** Chunk hooks observe: called in order, never awaited; a throw becomes the event `hook.failed` and nothing else. */
  readonly reasoningChunk?: (e: At<Ctx> & Chunk) => void;
  readonly summaryChunk?: (e: At<Ctx> & Chunk) => void;
  readonly actingChunk?: (e: At<Ctx> & { readonly call: ToolUseBlock; readonly delta: string }) => void;
  readonly onInterrupt?: (
    e: At<Ctx> & { readonly message?: Msg; readonly pending: readonly PendingCall[] },
  ) => void | Promise<void>;
  /** Cannot swallow or replace the error. */
  readonly onError?: (e: At<Ctx> & { readonly error: ErrorInfo }) => void | Promise<void>;
};

/** The points the chart waits for, in the order a turn meets them. */
export const HOOK_POINTS = [
  "preCall",
  "preReasoning",
  "postReasoning",
  "preActing",
  "postActing",
  "preSummary",
  "postSummary",
  "postCall",
  "onInterrupt",
  "onError",
] as const;
/** The points that only observe, while something streams. */
export const CHUNK_POINTS = ["reasoningChunk", "summaryChunk", "actingChunk"] as const;
export type HookPoint = (typeof HOOK_POINTS)[number];
