// src/core/hook defines hooks: functions of the user that see, change or stop what an agent does at named points of a turn.
import type { ErrorInfo } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { FinishReason, Msg, ToolResultBlock, ToolUseBlock, Usage } from "../message/types.ts";
import type { GenerateOptions } from "../model/port.ts";
import type { PendingCall } from "../tool/pending.ts";
import type { Slot, SlotReader, SlotWrites, Tool, ToolOutcome } from "../tool/types.ts";

/** The event that a hook receives at every point. Its messages, calls and options are deeply frozen. */
export type HookEvent<Ctx = unknown> = {
  /** The agent's name. */
  readonly agent: string;
  readonly sessionId: string;
  /** Number of the turn in the session, from 1. */
  readonly turn: number;
  /** Number of the reasoning round in the turn, from 0. */
  readonly iteration: number;
  /** The limit of `iteration`, as configured. */
  readonly maxIters: number;
  /** The `context` of the call, else of the agent. */
  readonly context: Ctx;
  /** The slots of the session, with what hooks before this one have written at the same point. */
  readonly slots: SlotReader;
  /** Aborts when the turn is interrupted. At postReasoning, postActing, postSummary and postCall it aborts only when the grace
   *  period (`turnOptions.interruptGraceMs`) is over, so that their changes to an answer or a result that is there already still count. */
  readonly signal: AbortSignal;
};

/** The event of a hook for any context. */
export type AnyHookEvent = HookEvent<never>;

/** The prompt of the model call that is about to start. */
export type Prompt = {
  /** Without the system message. */
  readonly messages: readonly Msg[];
  /** The system text; "" for none. */
  readonly system: string;
  readonly options: GenerateOptions;
  /** The names of the tools that are offered, as hooks before this one have left them. */
  readonly tools: readonly string[];
  /** The name of the model. */
  readonly model: string;
};

/** Changes of a prompt, for this one model call. They are never stored, and a hook may make them again after a crash. */
export type PromptPatch = {
  /** Replaces all messages. */
  readonly messages?: readonly Msg[] | undefined;
  /** Added after the messages. */
  readonly append?: readonly Msg[] | undefined;
  /** Replaces the system text. */
  readonly system?: string | undefined;
  /** Replaces all options. */
  readonly options?: GenerateOptions | undefined;
};

/** Changes of the prompt of a model call of the loop. */
export type ReasoningPatch = PromptPatch & {
  /** The names of the tools that are offered in this call: some of those that are there. Others are left out, except what returns the
   *  structured answer. It is not a permission: hooks at `preActing` deny calls. */
  readonly tools?: readonly string[] | undefined;
};

/** One piece of a streamed answer. */
export type Chunk = {
  /** The id that the message will have. */
  readonly messageId: string;
  readonly kind: "text" | "thinking" | "tool_use";
  /** The new characters: text, or the argument string of a call. */
  readonly delta: string;
  /** All characters of the block, `delta` included. */
  readonly soFar: string;
  /** The id of the call, if `kind` is `tool_use`. */
  readonly callId?: string | undefined;
  /** The name of the tool, if `kind` is `tool_use`. */
  readonly name?: string | undefined;
  /** The usage that the provider has reported so far, if any. */
  readonly usage?: Usage | undefined;
};

/** The part of a block of an answer that is about to be shown. */
export type Printed = {
  /** The id of the message. */
  readonly messageId: string;
  readonly kind: "text" | "thinking";
  /** The block as it is to be shown so far, as hooks before this one have left it. */
  readonly soFar: string;
  /** True if the block is complete. */
  readonly isLast: boolean;
};

/** The summary of a conversation that is about to be made. */
export type CompactionPlan = {
  /** The reason for it: the prompt is near the model's window, the model has refused it, or `compact()` was called. */
  readonly cause: "threshold" | "overflow" | "manual" | "handoff";
  /** The size of the prompt. */
  readonly tokensBefore: number;
  /** The messages that the summary takes the place of. */
  readonly messages: readonly Msg[];
  /** The summary of what came before them, which the new one takes the place of too. */
  readonly previous?: string | undefined;
  /** The content that the caller of `compact()`, or a hook before this one, wants to be retained. */
  readonly instructions?: string | undefined;
};

/** Changes of a summary that is about to be made. */
export type CompactionPatch = {
  /** Replaces the instructions. */
  readonly instructions?: string | undefined;
  /** The summary itself; no model is asked. It must be shorter than what it takes the place of. */
  readonly summary?: string | undefined;
  /** The id of the first message that stays as it is: one of `messages` without tool results. With that of the first message, or if
   *  nothing is left to sum up, there is no summary. */
  readonly keepFrom?: string | undefined;
  /** True: there is no summary, and nothing changes. */
  readonly skip?: boolean | undefined;
};

/** The writes of hooks beside what they return: new values of the slots in their `writes`, stored together with the change. What a hook
 *  writes into a slot that was changed from outside while it ran is left out. */
type Writes = { readonly slots?: SlotWrites | undefined };
type Maybe<P> = (P & Writes) | void | Promise<(P & Writes) | void>;

/**
 * Functions that run at points of a turn. At most points a hook may return an object: its fields replace what the hook was
 * given, the next hook receives the change, and nothing returned means no change. Hooks run one after the other, by ascending
 * priority, then in order of registration. A hook that throws or rejects fails the turn with `hook/failed`, and a returned value
 * of the wrong shape or with an unknown field fails it with `hook/bad-return`, unless its point says otherwise. A hook may run again after a crash.
 */
export type Hook<Ctx = unknown> = {
  /** Names the hook in errors and events, and for `removeHook`. */
  readonly name: string;
  /** Lower numbers run first; default 100. */
  readonly priority?: number | undefined;
  /** Tools that are added to the agent's copy of its toolkit, and removed with the hook. */
  readonly tools?: readonly Tool<Ctx>[] | undefined;
  /** The slots that the hook may write, by returning `slots` beside what its point takes; not at `onInterrupt` and `onError`. */
  readonly writes?: readonly Slot[] | undefined;
  /** Before anything of the input is stored: may replace the input and the system text of the turn. */
  readonly preCall?:
    | ((
        e: HookEvent<Ctx> & {
          /** The transcript, without the input. */
          readonly history: readonly Msg[];
          readonly input: readonly Msg[];
          readonly system: string;
        },
      ) => Maybe<{ readonly input?: readonly Msg[] | undefined; readonly system?: string | undefined }>)
    | undefined;
  /** Before a model call of the loop: may change its prompt. */
  readonly preReasoning?: ((e: HookEvent<Ctx> & Prompt) => Maybe<ReasoningPatch>) | undefined;
  /** After a model's answer and before it is stored: may replace it, stop the turn, or (`goto`) store messages and ask the model
   *  again. `stop` wins over `goto`. `goto: []` asks again without a new message; after tool calls `goto` must answer each. */
  readonly postReasoning?:
    | ((e: HookEvent<Ctx> & { readonly message: Msg; readonly finishReason: FinishReason }) => Maybe<{
        readonly message?: Msg | undefined;
        readonly stop?: boolean | undefined;
        readonly goto?: readonly Msg[] | undefined;
      }>)
    | undefined;
  /** The point that is reached once for each call of a batch, before any of them runs. The hook may replace the arguments, or deny the call
   *  with a string that the model reads as its result. */
  readonly preActing?:
    | ((
        e: HookEvent<Ctx> & { readonly call: ToolUseBlock },
      ) => Maybe<{ readonly input?: JsonObject | undefined; readonly deny?: string | undefined }>)
    | undefined;
  /** After each call, in call order: may replace the result or stop the turn. The result is stored before the next call's hooks
   *  run. */
  readonly postActing?:
    | ((
        e: HookEvent<Ctx> & {
          readonly call: ToolUseBlock;
          readonly result: ToolResultBlock;
          /** The duration of the last attempt of the call, ms. Absent if the call did not run here: a person or a client has answered it,
           *  or the process that ran it has ended. */
          readonly durationMs?: number | undefined;
        },
      ) => Maybe<{
        readonly result?: Omit<ToolOutcome, "slots"> | undefined;
        readonly stop?: boolean | undefined;
      }>)
    | undefined;
  /** Before the model call that summarises a turn at its iteration limit: may change its prompt. */
  readonly preSummary?: ((e: HookEvent<Ctx> & Prompt) => Maybe<PromptPatch>) | undefined;
  /** After the summary and before it is stored: may replace it. */
  readonly postSummary?:
    | ((e: HookEvent<Ctx> & { readonly message: Msg }) => Maybe<{ readonly message?: Msg | undefined }>)
    | undefined;
  /** Before what came before is summed up, because the prompt is too long or `compact()` was called; not when only results are cleared.
   *  May say what is kept, give the summary itself, or do without one. If one throws at `compact()`, that rejects. */
  readonly preCompact?: ((e: HookEvent<Ctx> & CompactionPlan) => Maybe<CompactionPatch>) | undefined;
  /** After such a summary, and before it takes the place of the messages: may replace its text. */
  readonly postCompact?:
    | ((
        e: HookEvent<Ctx> & CompactionPlan & { readonly summary: string },
      ) => Maybe<{ readonly summary?: string | undefined }>)
    | undefined;
  /** The point that is reached after every turn that replies, suspended turns included, but not after an interrupt or an error. The hook
   *  may replace the reply that the caller gets. */
  readonly postCall?:
    | ((
        e: HookEvent<Ctx> & {
          readonly reply: Msg;
          /** The transcript, with all of the turn. */
          readonly history: readonly Msg[];
        },
      ) => Maybe<{ readonly reply?: Msg | undefined }>)
    | undefined;
  /** For each piece of an answer, in order, without being awaited. If it throws, a `hook.failed` event is emitted and nothing
   *  else happens. */
  readonly reasoningChunk?: ((e: HookEvent<Ctx> & Chunk) => void) | undefined;
  /** As `reasoningChunk`, for a summary. */
  readonly summaryChunk?: ((e: HookEvent<Ctx> & Chunk) => void) | undefined;
  /** As `reasoningChunk`, for what a running tool emits. */
  readonly actingChunk?:
    | ((e: HookEvent<Ctx> & { readonly call: ToolUseBlock; readonly delta: string }) => void)
    | undefined;
  /** Before a piece of text or thinking of an answer is shown: returns the block as it is to be shown so far, `undefined` for no change.
   *  It changes the events `block.delta`, `message` and `turn.end` of this process, and not what is stored, what the model reads and what
   *  `call()` returns; who reads the session later sees what is stored. What was shown cannot be taken back: a hook that cannot know yet
   *  what a word becomes returns less, and the rest once more has come. It must be quick, and return the same for the same text. If it throws
   *  or returns something else, a `hook.failed` event is emitted and nothing more of the block is shown. */
  readonly print?: ((e: HookEvent<Ctx> & Printed) => string | void) | undefined;
  /** After a turn was interrupted: observes only. `message` is the argument of `interrupt`, `pending` the calls that were open. If
   *  it throws, a `hook.failed` event is emitted and nothing else happens. */
  readonly onInterrupt?:
    | ((
        e: HookEvent<Ctx> & { readonly message?: Msg | undefined; readonly pending: readonly PendingCall[] },
      ) => void | Promise<void>)
    | undefined;
  /** After a turn failed: observes only, and cannot replace the error. If it throws, a `hook.failed` event is emitted and nothing
   *  else happens. */
  readonly onError?:
    | ((e: HookEvent<Ctx> & { readonly error: ErrorInfo }) => void | Promise<void>)
    | undefined;
  /** The rest of the session: after every turn but a suspended or parked one, and when a session that has turns is opened or restored.
   *  No turn waits for it, and the next one may begin meanwhile; `close()`, `shutdown()` and a worker that releases the session wait
   *  up to 10 s, then `signal` aborts. In one session it never runs twice at once. It may return `slots`; those that were changed
   *  meanwhile are left out. If it throws, a `hook.failed` event is emitted and nothing else happens. */
  readonly onRest?:
    | ((
        e: HookEvent<Ctx> & {
          /** The transcript. */
          readonly history: readonly Msg[];
        },
      ) => Maybe<Writes>)
    | undefined;
};

/** A hook for any context. */
export type AnyHook = Hook<never>;

/** The points at which the chart waits for the hooks, in the order in which a turn reaches them. */
export const HOOK_POINTS = [
  "preCall",
  "preReasoning",
  "postReasoning",
  "preActing",
  "postActing",
  "preSummary",
  "postSummary",
  "preCompact",
  "postCompact",
  "postCall",
  "onInterrupt",
  "onError",
] as const;
/** The points that observe a stream; the chart does not wait for them. */
export const CHUNK_POINTS = ["reasoningChunk", "summaryChunk", "actingChunk"] as const;
/** The points that change what is shown; the chart does not wait for them. */
export const PRINT_POINTS = ["print"] as const;
/** The points of a session at rest; the chart does not wait for them. */
export const REST_POINTS = ["onRest"] as const;
/** One of {@link HOOK_POINTS}. */
export type HookPoint = (typeof HOOK_POINTS)[number];
