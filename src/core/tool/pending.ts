import { jsonOrText, type Json, type JsonObject } from "../base/json.ts";
import type { MediaBlock, TextBlock } from "../message/types.ts";

/** The conditions for which a resting session waits. `answer`: a call goes on once its questions are answered; `externalResult`: the answer
 *  is the result of the call; `breakpoint`: the next request waits for a call without input. */
export type WaitsFor =
  | "approval"
  | "answer"
  | "externalResult"
  | "stopRequested"
  | "unknownOutcome"
  | "budget"
  | "breakpoint";

/** True if a session rests before its next request, and for no call. */
export const waitsBeforeRequest = (waitsFor: readonly WaitsFor[]): boolean =>
  waitsFor.includes("budget") || waitsFor.includes("breakpoint");

/** The conditions for which an open call may wait. */
export const CALL_WAITS_FOR = [
  "approval",
  "answer",
  "externalResult",
  "stopRequested",
  "unknownOutcome",
] as const satisfies readonly WaitsFor[];

/** The decisions that a person may make about an open call. `edit` replaces the arguments, `answer` gives the result; `retry` runs the call
 *  again, and is not an approval. A question of a call that goes on takes `respond` with a value of its schema, `decline` (the person does
 *  not want to answer) or `cancel` (nobody did), and one of the kind `approval` takes "approve" and "deny" too. */
export type Decision =
  | "approve"
  | "deny"
  | "retry"
  | { readonly approve: true; readonly remember?: "tool" | "input" | undefined }
  | { readonly deny: string }
  | { readonly edit: JsonObject }
  | { readonly answer: string | readonly (TextBlock | MediaBlock)[] }
  | { readonly respond: Json }
  | { readonly decline: true }
  | { readonly cancel: true };

/** A question that a call asks before it goes on. */
export type Ask = {
  /** Unique among the questions that the call asks at once, 1 to 200 characters. */
  readonly id: string;
  /** The form in which it is to be shown: a form for its schema, a page to visit, a permission, or a question. */
  readonly kind: "form" | "url" | "approval" | "question";
  readonly message: string;
  /** JSON Schema of the value of `respond`; default: any JSON. */
  readonly schema?: JsonObject;
  /** The page to visit, an http or https address. */
  readonly url?: string;
  /** A call that waits inside of this one, such as one of a sub-agent: it takes the decisions that such a call takes. */
  readonly call?: PendingCall;
};

/** The name and the arguments of a call. */
export type AnyCall = { readonly name: string; readonly input: JsonObject };

/** An open call as callers see it, or one question of a call. `argsHash` binds a decision to these very arguments, or to the
 *  question as it was asked now. Once permission has asked, it covers all that the tool would get: `input` and the tool's
 *  presets, which `input` does not show. */
export type PendingCall<Calls extends AnyCall = AnyCall> = Calls & {
  /** The id that `decide` takes: the id of the call, and "/" and the id of the question behind it if this is one. */
  readonly callId: string;
  readonly argsHash: string;
  readonly waitsFor: Exclude<WaitsFor, "budget" | "breakpoint">;
  /** The reason for which it waits; of a question, its text. */
  readonly reason?: string;
  /** Epoch ms since when it waits. */
  readonly since: number;
  readonly expiresAt?: number;
  readonly answerSchema?: JsonObject;
  /** The kind of the question, if this is one; `answerSchema` is then its schema. */
  readonly ask?: Pick<Ask, "kind" | "url">;
  /** The tools inside of which the call waits, the outermost first; absent for a call of the session itself. */
  readonly path?: readonly string[];
  readonly decided?: Decision;
  /** Who has decided, as the caller of `decide` said. */
  readonly decidedBy?: string;
};

/** Returns the value of a text that a person has typed as an answer: JSON, unless its schema wants a string or the text is not JSON. */
export function typedValue(text: string, schema: JsonObject | undefined): Json {
  return schema?.["type"] === "string" ? text : jsonOrText(text);
}
