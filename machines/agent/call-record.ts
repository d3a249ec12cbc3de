import type { Json, JsonObject } from "../../src/core/base/json.ts";
import type { CallAccount, ToolResultBlock, ToolUseBlock, Usage } from "../../src/core/message/types.ts";
import type { Letter } from "../../src/core/tool/rules/law.ts";
import type { Ask, Decision } from "../../src/core/tool/pending.ts";
import type { Limits } from "./limits.ts";
import type { ExecutionData } from "./settings.ts";

/** The status of a call. `pending` has no permission yet; `unknown` was running when its process ended. */
export type CallStatus = "pending" | "approved" | "running" | "done" | "suspended" | "denied" | "unknown";

/** The data with which a suspended call goes on, once each of its questions is answered. */
export type CallResumption = {
  /** The number of times the call has been suspended. */
  readonly round: number;
  readonly state: Json;
  readonly asks: readonly {
    readonly ask: Ask;
    readonly decided?: Decision;
    readonly decidedBy?: string;
  }[];
  /** Attempts started before it: they count in no other round. */
  readonly attempts: number;
  /** The usage of the agent inside of the call so far. It counts if the call gets its result without going on. */
  readonly spent?: Spent;
};

/** The usage of an agent inside of a call: it counts as used by the turn of the call. */
export type Spent = {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  /** The amount that a person has added to its limits. It is added to those of the turn too. */
  readonly extended?: Limits;
};

/** The knowledge that the rules of an agent have of a call. */
export type CallRules = {
  /** The values that each rule that reads arguments has read in those with which the call would run. */
  readonly letters?: { readonly [rule: string]: Letter };
  /** Who has approved the call; "" if that is not known. */
  readonly approver?: string;
  /** The hash of the arguments, and how long an approval is waited for, in case a rule asks for one. */
  readonly argsHash?: string;
  readonly expiresAfterMs?: number;
  /** The rules because of which a person is asked. */
  readonly asked?: readonly string[];
  /** The rules that a person who was told of them has waived. */
  readonly waived?: readonly string[];
  /** An attempt that may have taken effect is repeated by a later one, which counts in its place. */
  readonly maybe?: true;
  /** An attempt that may have taken effect counts beside those that a person lets follow. */
  readonly isUnknown?: true;
  /** The call has an agent inside. */
  readonly isInner?: true;
};

/** One call of the open batch. The records are removed when the last result of the batch is stored. */
export type CallRecord = {
  readonly call: ToolUseBlock;
  readonly status: CallStatus;
  /** preActing has run; it does not run again unless the call is to be executed again. */
  readonly hooked: boolean;
  /** The result is in the transcript. */
  readonly stored: boolean;
  /** Attempts started. */
  readonly attempt: number;
  /** The last attempt that has its service. */
  readonly spawned?: number;
  /** Since when the record has this status, epoch ms. */
  readonly since: number;
  readonly result?: ToolResultBlock;
  /** True if postActing does not run for this result, because nothing was executed. */
  readonly skipHooks?: boolean;
  /** The reason why an approval is required; absent if it is not. */
  readonly asks?: string;
  readonly argsHash?: string;
  readonly decided?: Decision;
  /** Who has made the decision, if that is known. */
  readonly decidedBy?: string;
  /** The time at which the call asked its questions, or asked for its approval again because the tool had changed. A decision made before
   *  does not count. */
  readonly askedAgainAt?: number;
  readonly expiresAt?: number;
  readonly reason?: string;
  readonly answerSchema?: JsonObject;
  /** There from the first suspension after which the call goes on until it has its result. */
  readonly resume?: CallResumption;
  readonly spent?: Spent;
  readonly execution?: ExecutionData;
  readonly maxParallel?: number;
  /** The names of the slots that the call may write. */
  readonly writes?: readonly string[];
  readonly onRestart?: "retry" | "ask" | "fail";
  readonly notBeforeAt?: number;
  readonly deadlineAt?: number;
  /** The outcome of the call so far. It goes to the result once there is one. */
  readonly account?: CallAccount;
  /** Absent for an agent without rules. */
  readonly rules?: CallRules;
};

/** The terms on which a call that may run is executed. */
export type CallTerms = Pick<CallRecord, "execution" | "maxParallel" | "writes" | "onRestart">;
