import type { ErrorCode } from "../../src/base/error.ts";
import type { Msg } from "../../src/message/types.ts";

/** What a model sees of the transcript, which itself is never shortened. */
export type View = {
  /** Index of the first message of the part that is shown. */
  readonly from: number;
  /** Indexes of the messages before that part which are shown all the same: those of the user that the turn answers. */
  readonly head: readonly number[];
  /** The results before this index are shown as one line each. */
  readonly clearedTo: number;
  /** The results before this index are shown without their images, sounds and films; absent: all have them. */
  readonly mediaTo?: number;
  /** Results that were too large together for one prompt, which are shown in part; absent: none. */
  readonly cut?: readonly Cut[];
  /** What a provider refused, by index; absent: nothing. */
  readonly omitted?: readonly Omitted[];
  /** Stands for everything before `from`. */
  readonly summary?: Msg;
  /** True once a result was shown in part: from then on the model may read results. */
  readonly reads?: boolean;
};

/** The results from `from` up to, but not including, `to`: each one larger than `tokens` is shown in part. */
export type Cut = { readonly from: number; readonly to: number; readonly tokens: number };

/** A message, by its index, of which is left out what a provider refused. */
export type Omitted = {
  readonly at: number;
  /** Its images, sounds and films, or all that it says. */
  readonly what: "media" | "all";
  /** The error with which the provider refused it. */
  readonly code: ErrorCode;
  readonly why: string;
  /** No provider has answered without it so far: it may not be what was refused. */
  readonly isTried?: true;
};

/** How tool results are shown. */
export type ResultLimits = {
  /** A longer result is shown as its beginning and its end, in tokens; null for no bound. */
  readonly maxTokens: number | null;
  /** Bounds of single tools. */
  readonly tools: { readonly [tool: string]: number };
  /** Tools whose results are always shown whole. */
  readonly exclude: readonly string[];
  /** So many of the newest results with media keep them in a compaction; null: all. */
  readonly keepMedia: number | null;
};
