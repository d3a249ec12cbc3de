import type { FinishReason } from "../message/types.ts";

/** The words with which servers say that an answer ended, in lower case with "_". Any other word says that it failed. */
const REASONS: { readonly [word: string]: FinishReason } = {
  ...all("stop", "stop stop_sequence stop_string stop_str stop_word stop_token end_turn end_of_turn"),
  ...all("length", "length max_tokens max_length max_output_tokens max_new_tokens max_completion_tokens"),
  ...all("length", "model_length model_context_window_exceeded context_length_exceeded token_limit"),
  ...all("tool_calls", "tool_calls tool_call tool_use function_call function_calls"),
  ...all("content_filter", "content_filter content_filtered safety sensitive blocklist prohibited_content"),
  ...all("content_filter", "recitation spii image_safety guardrail_intervened moderation blocked"),
  ...all("refusal", "refusal"),
  ...all("unknown", "eos eos_token end_of_text endoftext end done complete completed finish finished"),
  ...all("unknown", "normal pause_turn compaction"),
};

function all(reason: FinishReason, words: string): { readonly [word: string]: FinishReason } {
  return Object.fromEntries(words.split(" ").map((word) => [word, reason]));
}

/** Returns the finish reason for the word of a server. It is undefined for a word that is not known as the end of a whole answer, such as
 *  "abort", "cancelled" or "error": then the answer has failed. */
export function toFinishReason(word: string): FinishReason | undefined {
  if (Object.hasOwn(REASONS, word)) return REASONS[word]; // as most servers say it
  const known = word
    .toLowerCase()
    .replace(/[^a-z]+/g, "_")
    .replace(/^finish_reason_/, "");
  return Object.hasOwn(REASONS, known) ? REASONS[known] : undefined;
}

/** Returns a word of a server for why an answer ended; undefined for what says nothing, such as null, "" and "null". */
export function finishWordOf(value: unknown): string | undefined {
  if (value === null || value === undefined || value === false) return undefined;
  const word = typeof value === "string" ? value.trim() : JSON.stringify(value);
  return /^(|null|none|undefined)$/i.test(word) ? undefined : word;
}

/** Returns the statement of a server that ended an answer with such a word. */
export function failedBy(word: string): { readonly message: string } {
  return {
    message: `The finish reason is ${JSON.stringify(word.slice(0, 100))}, which no whole answer has.`,
  };
}
