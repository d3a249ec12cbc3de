import type { JsonObject } from "../base/json.ts";
import type { MediaBlock, TextBlock } from "../message/types.ts";

/** What a resting session waits for. */
export type WaitsFor = "approval" | "externalResult" | "stopRequested" | "unknownOutcome" | "budget";

/** What a person may say about an open call. `edit` replaces the arguments, `answer` gives the result; `retry` runs the call
 *  again, and is not an approval. */
export type Decision =
  | "approve"
  | "deny"
  | "retry"
  | { readonly approve: true; readonly remember?: "tool" | "input" }
  | { readonly deny: string }
  | { readonly edit: JsonObject }
  | { readonly answer: string | readonly (TextBlock | MediaBlock)[] };

/** An open call as callers see it. `argsHash` binds a decision to these very arguments. Once permission
 *  has asked, it covers all that the tool would get: `input` and the tool's presets, which `input` does not show. */
export type PendingCall = {
  readonly callId: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly argsHash: string;
  readonly waitsFor: Exclude<WaitsFor, "budget">;
  readonly reason?: string;
  /** Epoch ms since when it waits. */
  readonly since: number;
  readonly expiresAt?: number;
  readonly answerSchema?: JsonObject;
  readonly decided?: Decision;
  /** Who has decided, as the caller of `decide` said. */
  readonly decidedBy?: string;
};
