import type { ChatModel } from "../model/port.ts";

/**
 * How a prompt is kept within the model's window. When it comes near, old tool results are first shown as one line each, all that are
 * not new in one go; if that is not enough, a model sums up what came before the newest messages. The same happens once when the model
 * refuses a prompt as too long. All sizes are tokens; they are estimates, corrected by what the provider counts.
 */
export type CompactionOptions = {
  /** `false`: only `compact()` does it. Default true. */
  readonly auto?: boolean | undefined;
  /** The model's context window; default: what the model says in its `capabilities`, else what is known of its name. Without any, a
   *  prompt is made shorter only when the model has refused it. */
  readonly contextTokens?: number | undefined;
  /** What of the window is kept free for the answer; default an eighth of the window, but at least 4,000 (in windows below 20,000 a
   *  fifth) and at most 20,000. */
  readonly reserveTokens?: number | undefined;
  /** How much of the end of the conversation stays as it is beside a summary; default 20,000, at most a quarter of the window. */
  readonly keepRecentTokens?: number | undefined;
  /** The size that a compaction aims at; default half the window. */
  readonly targetTokens?: number | undefined;
  /** Which results are cleared: not the newest ones of together `protectTokens` (default 40,000, at most a sixteenth of the window),
   *  and none unless that frees `minimumTokens` (default 20,000, at most a tenth of the window). Results that the model has not seen
   *  are never cleared. `false`: no results. */
  readonly clear?:
    | false
    | { readonly protectTokens?: number | undefined; readonly minimumTokens?: number | undefined }
    | undefined;
  /** `fit` (default): a summary is made if clearing is not enough for the prompt to fit; `threshold`: also if it is not enough to come
   *  down to `targetTokens`; `never`: only by `compact()`. */
  readonly summarise?: "fit" | "threshold" | "never" | undefined;
  /** What a summary is to keep beside what every summary keeps, in words for the model. */
  readonly instructions?: string | undefined;
  /** The most tokens of a summary, as `generateOptions.maxTokens`; default: those of the agent's `generateOptions`. */
  readonly maxSummaryTokens?: number | undefined;
  /** How many compactions of a turn may change nothing, or make hardly any room, one after the other, before no other is tried in it; default 3. */
  readonly maxFailures?: number | undefined;
  /** The model that makes the summaries; default: that of the agent. */
  readonly model?: ChatModel | undefined;
};

/** What `compact` did, in tokens of the prompt. */
export type CompactionResult = {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Index of the first message that is still shown as it is. */
  readonly from: number;
};
