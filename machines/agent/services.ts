import type { ErrorInfo } from "../../src/core/base/error.ts";
import type { Json, JsonObject } from "../../src/core/base/json.ts";
import type {
  CallAccount,
  FinishReason,
  Msg,
  ToolResultBlock,
  ToolUseBlock,
  Usage,
} from "../../src/core/message/types.ts";
import type { StoredSlots } from "../../src/core/tool/stored-slots.ts";
import type { Resumed, Suspension } from "../../src/core/tool/types.ts";
import type { AgentContext, Compaction, Draft, WantedOutput } from "./context.ts";
import type { RuleStates } from "../../src/core/tool/rules/law.ts";
import type { CallRecord, CallRules, Spent } from "./call-record.ts";
import type { ExecutionData } from "./settings.ts";
import type { PendingCall } from "../../src/core/tool/pending.ts";
import type { Overrides, CallEdit, PromptEdit } from "./prompt/edits.ts";
import type { Transcript } from "../../src/core/message/transcript.ts";
import type { View } from "./prompt/view.ts";

/** Every service says when it ended, epoch ms: the chart has no clock of its own. */
type Timed = { readonly at: number };

/** The position in the turn at which a service runs. */
export type Position = { readonly turn: number; readonly iteration: number };

/** `callModel`: one request. It answers with an outcome and rejects only if it is broken itself. */
export type ModelInput = Position & {
  readonly phase: "reasoning" | "summary" | "compaction";
  readonly attempt: number;
  readonly usesFallback: boolean;
  readonly emptyRetries: number;
  /** The request is not sent if messages have come that belong into it. */
  readonly takesNews: boolean;
  readonly wanted: WantedOutput | null;
  readonly system: string;
  /** The persona that is asked; null: the agent itself. */
  readonly persona: string | null;
  /** The values that the session has in the place of its agent's configuration. */
  readonly overrides: Overrides | null;
  readonly edits: readonly PromptEdit[];
  /** The changes that hooks of preCall made to the call. */
  readonly entered: readonly CallEdit[];
  readonly slots: StoredSlots;
  readonly transcript: Transcript;
  /** The part of the transcript that the model sees; null for all of it. */
  readonly view: View | null;
  /** The summary that is asked for: of the messages up to the index `to`, with the history as text or as a conversation; null for
   *  another phase. */
  readonly compaction: {
    readonly to: number;
    readonly isSeparate: boolean;
    readonly instructions?: string;
  } | null;
};
export type ModelOutcome = Timed & {
  /** The message that was folded until the end, the failure or the interrupt; absent if there was nothing. */
  readonly message?: Msg;
  readonly finishReason: FinishReason;
  readonly usage?: Usage;
  /** The tokens of the prompt as the provider counted them, and our own count of its messages and of the rest of the request. */
  readonly counted?: { readonly tokens: number; readonly messages: number; readonly rest: number };
  /** The structured answer of a native model; it has passed the schema. */
  readonly value?: Json;
  /** Somebody may have seen a part of it. */
  readonly delivered: boolean;
  /** The request was not sent: messages have come that belong into it. */
  readonly hasNews?: boolean;
  /** `retry` says whether the same model may be asked again; it is there only if nothing was delivered. */
  readonly error?: ErrorInfo & { readonly retry?: boolean };
};

/** `runTool`: one attempt of one call. Never rejects. */
export type ToolInput = Position & {
  readonly call: ToolUseBlock;
  /** The hash of the arguments that a person approved; other arguments do not run. */
  readonly argsHash?: string;
  readonly attempt: number;
  /** There if the call goes on after a suspension. */
  readonly resumed?: Resumed;
  readonly deadlineAt: number | null;
  readonly slots: StoredSlots;
  /** The outcome of the call before. */
  readonly account?: CallAccount;
  /** The reason for which the call is answered with an error instead of being run. */
  readonly refused?: string;
};
export type ToolRunOutcome = Timed & {
  readonly callId: string;
  readonly attempt: number;
  readonly result?: ToolResultBlock;
  /** The arguments that `execute` received, if they are not those that the call asked for. */
  readonly ran?: CallAccount["ran"];
  readonly suspension?: Suspension;
  /** The time at which the questions of the suspension are cancelled. */
  readonly expiresAt?: number;
  /** The values that the call has written into slots, each one revision behind what it was given. */
  readonly slots?: StoredSlots;
  /** The usage of an agent inside of the call in all. With a suspension it does not count yet. */
  readonly spent?: Spent;
  /** The memory of the rules about what an agent inside of the call has done. */
  readonly rules?: RuleStates;
  /** The failure may be retried, not before `retryAt`. */
  readonly retry?: boolean;
  readonly retryAt?: number;
};

/** The input of `reviewCalls`, which judges the permission of the calls that have no verdict yet. It also validates those that may not run
 *  whatever their arguments are. */
export type ReviewInput = Position &
  Pick<AgentContext, "remembered" | "allowed" | "slots" | "transcript"> & {
    readonly calls: readonly CallRecord[];
    /** Index in the transcript at which the turn began. */
    readonly turnAt: number;
  };
export type Verdict = {
  readonly callId: string;
  readonly action: "allow" | "ask" | "deny" | "answer";
  /** For `deny` and `answer`: what the model reads. */
  readonly result?: ToolResultBlock;
  /** For `ask`: why. */
  readonly reason?: string;
  readonly input?: JsonObject;
  /** The arguments, presets included, that a person is asked about or has approved. */
  readonly argsHash?: string;
  readonly expiresAt?: number;
  readonly execution?: ExecutionData;
  readonly maxParallel?: number;
  readonly writes?: readonly string[];
  readonly onRestart?: "retry" | "ask" | "fail";
  /** For `allow`: what the rules have to know of the call. */
  readonly rules?: Pick<CallRules, "letters" | "argsHash" | "expiresAfterMs" | "isInner">;
};
export type ReviewOutcome = Timed & { readonly verdicts: readonly Verdict[] };

/** `checkBreakpoints`: says which breakpoint of the session holds before a request, if one does. Rejects if the store does not answer. */
export type BreakInput = Position & Pick<ReviewInput, "slots" | "transcript" | "turnAt">;
export type BreakOutcome = Timed & { readonly reason?: string };

/** `runHooks`: an ordered fold over the hooks of one point. Rejects if one of them fails. */
export type HooksInput = Position & { readonly transcript: Transcript; readonly slots: StoredSlots } & (
    | { readonly point: "preCall"; readonly input: readonly Msg[]; readonly system: string }
    | ({ readonly point: "preReasoning" | "preSummary" } & Pick<
        ModelInput,
        "system" | "persona" | "overrides" | "usesFallback" | "wanted" | "view"
      >)
    | ({ readonly point: "postReasoning"; readonly draft: Draft } & Pick<
        ModelInput,
        "persona" | "overrides" | "usesFallback" | "wanted"
      >)
    | { readonly point: "postSummary"; readonly draft: Draft }
    | { readonly point: "preActing"; readonly calls: readonly ToolUseBlock[] }
    | { readonly point: "postActing"; readonly call: ToolUseBlock; readonly result: ToolResultBlock }
    | { readonly point: "preCompact"; readonly compacting: Compaction; readonly view: View | null }
    | {
        readonly point: "postCompact";
        readonly compacting: Compaction;
        readonly view: View | null;
        readonly draft: Draft;
      }
    | { readonly point: "postCall"; readonly reply: Msg }
    | {
        readonly point: "onInterrupt";
        readonly message: Msg | null;
        readonly pending: readonly PendingCall[];
      }
    | { readonly point: "onError"; readonly error: ErrorInfo }
  );
/** The outcome of the hooks of a point: only what they changed. */
export type HooksOutcome = Timed & {
  readonly input?: readonly Msg[];
  readonly system?: string;
  readonly edits?: readonly PromptEdit[];
  readonly entered?: readonly CallEdit[];
  readonly message?: Msg;
  /** The structured answer that the message of a native model holds after them. */
  readonly value?: Json;
  readonly stop?: boolean;
  /** The hook that asked to stop, the first if there are several. */
  readonly stoppedBy?: string;
  readonly goto?: readonly Msg[];
  /** The hooks that asked to go on. */
  readonly gotoBy?: string;
  readonly calls?: readonly {
    readonly callId: string;
    readonly input?: JsonObject;
    readonly deny?: string;
    /** The names of the hooks that changed or denied the call. */
    readonly by?: string;
    /** The name of the hook that denied it. */
    readonly deniedBy?: string;
    /** The hooks that changed its arguments, in order, each with those after it. */
    readonly changes?: readonly { readonly hook: string; readonly input: JsonObject }[];
  }[];
  readonly result?: ToolResultBlock;
  /** The hooks that changed the result, in order, each with the result before. */
  readonly results?: readonly { readonly hook: string; readonly before: ToolResultBlock }[];
  readonly reply?: Msg;
  /** The requirements of hooks of preCompact for a summary. `to` is the index of the first message that stays as it is, `summary` takes the
   *  place of what the model would say. */
  readonly compaction?: {
    readonly instructions?: string;
    readonly summary?: string;
    readonly to?: number;
    readonly isUnwanted?: boolean;
  };
  /** The summary of a conversation after the hooks of postCompact. */
  readonly summary?: string;
  /** The values that the hooks have written into slots, each one revision behind what they were given. */
  readonly slots?: StoredSlots;
};

/** `commit`: ends when all that happened before is durable. */
export type CommitInput = Position;
export type CommitOutcome = Timed;
