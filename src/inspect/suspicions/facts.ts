// src/inspect/suspicions finds what is odd in a run: it reads facts of the steps, and small pure functions judge them.
import type { Json } from "../../core/base/json.ts";
import type { CallAccount, ToolResultState } from "../../core/message/types.ts";

/** A tool call that the model asked for, and what became of it. Long texts in arguments are `{ $blob, length, head }`: their hash, their length
 *  and how they begin. */
export type CallFact = {
  readonly id: string;
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments that the model gave. */
  readonly input: Json;
  readonly turn: number;
  /** The step with the answer that asks for it. */
  readonly askedAt: number;
  /** The step that stored its result; absent while it has none. */
  readonly answeredAt?: number;
  readonly state?: ToolResultState;
  /** The code of the error, such as "tool/timeout". */
  readonly code?: string;
  /** The text of the result; of a long one how it begins. */
  readonly text?: string;
  /** The time that its last attempt ran, ms; absent if it did not run, or that is not known. */
  readonly ranForMs?: number;
  /** The changes of the arguments and the result, the persons who decided, and the attempts that failed. */
  readonly account?: CallAccount;
};

/** A message of the user that a request left out. */
export type LeftOut = {
  readonly messageId: string;
  /** The beginning of the text. */
  readonly text: string;
  /** The cause that left it out: the option `contextWindow`, a compaction, a hook, or something that is not known. */
  readonly by: "contextWindow" | "compaction" | "hook" | "unknown";
  /** The name of the hook. */
  readonly hook?: string;
};

/** A request to a model. */
export type RequestFact = {
  /** The step that led to it. */
  readonly step: number;
  readonly turn: number;
  /** From 1; attempts that are repeated count. */
  readonly number: number;
  readonly model: string;
  /** The names of the tools that were offered, after hooks. */
  readonly tools: readonly string[];
  /** The window of the model in tokens, if it is known. */
  readonly window?: number;
  /** The messages of the user that it left out. */
  readonly left: readonly LeftOut[];
};

/** A message of the conversation. */
export type MessageFact = {
  readonly id: string;
  readonly role: string;
  /** The step that stored it. */
  readonly step: number;
  readonly turn: number;
  /** Its text; of a long one how it begins. */
  readonly text: string;
  /** The number of calls for which it asks. */
  readonly calls: number;
  /** The hooks that changed it. */
  readonly changedBy: readonly string[];
  /** The hook that added it. */
  readonly addedBy?: string;
  /** The tokens of the prompt as the provider counted them, on an answer of a model. */
  readonly promptTokens?: number;
};

/** A limit of a turn, and what was used of it. */
export type LimitFact = { readonly name: string; readonly allowed: number; readonly used: number };

/** The way in which a turn came to rest. A turn that goes on after a rest has one more. */
export type RestFact = {
  readonly turn: number;
  readonly step: number;
  readonly reason: string;
  readonly error?: string;
  /** The limit that was reached. */
  readonly reached?: LimitFact;
  /** The limits of the budget, with what the turn has used of each. */
  readonly limits: readonly LimitFact[];
  /** The hooks that made the reply another one than the answer that is stored; empty if none did. */
  readonly replyChangedBy: readonly string[];
};

/** A failure in a step, such as of a hook or of a request, after which the turn went on or ended. */
export type FailureFact = {
  readonly step: number;
  readonly turn: number;
  /** The service that failed: "runHooks", "callModel", or another service of the chart. */
  readonly service: string;
  readonly text: string;
};

/** An approval that holds for later calls of a tool, whatever their arguments are. */
export type WideApproval = { readonly step: number; readonly tool: string };

/**
 * The events of a run, as checks read them: the same of a run that is watched, of a stored session and of an exported file. Steps are
 * numbers of steps of the run, as the inspector shows them.
 */
export type RunFacts = {
  readonly calls: readonly CallFact[];
  readonly requests: readonly RequestFact[];
  readonly messages: readonly MessageFact[];
  readonly rests: readonly RestFact[];
  readonly failures: readonly FailureFact[];
  readonly wideApprovals: readonly WideApproval[];
};
