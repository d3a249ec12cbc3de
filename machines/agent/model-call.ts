import type { JsonObject } from "../../src/core/base/json.ts";
import type { CallEdit } from "./prompt/edits.ts";
import type { RequestParts } from "./prompt/request.ts";
import type { Limits } from "./limits.ts";

/** One request to a model, as it was made. */
export type ModelCall = RequestParts & {
  /** The id of the message that its answer becomes. */
  readonly id: string;
  /** The number of the call in the session, from 1; attempts that are repeated count. */
  readonly number: number;
  readonly turn: number;
  readonly iteration: number;
  /** From 1. */
  readonly attempt: number;
  /** The number of messages that the transcript had. */
  readonly length: number;
  /** The name of the model, and of its provider if the model names it. */
  readonly model: string;
  readonly provider?: string;
  /** The fallback model was asked. */
  readonly isFallback?: true;
  /** The way in which the adapter of the model makes its requests, if the adapter states it. */
  readonly wire?: { readonly adapter: string; readonly options: JsonObject };
  /** The context window of the model, tokens; absent if it is unknown. */
  readonly window?: number;
  /** The bound of the view that is configured (`modelOptions.contextWindow`); absent if there is none. */
  readonly bound?: { readonly maxMessages?: number | undefined; readonly maxTokens?: number | undefined };
  /** The limits of a turn that are configured (`budget`); absent if there are none. */
  readonly budget?: Limits & { readonly onExceeded?: string | undefined };
  /** The changes that hooks of preCall made to the call of the agent in which this is. */
  readonly entered: readonly CallEdit[];
};
