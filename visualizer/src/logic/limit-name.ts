const NAMES: { readonly [limit: string]: string } = {
  modelCalls: "model calls",
  toolCalls: "tool calls",
  inputTokens: "input tokens",
  outputTokens: "output tokens",
  totalTokens: "tokens",
  cost: "cost",
  wallMs: "time (ms)",
};

/** The displayed name of a limit. */
export const limitName = (limit: string): string => NAMES[limit] ?? limit;
