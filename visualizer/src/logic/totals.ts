import type { JsonObject, Usage } from "../wire/types.ts";
import { isMessage } from "./message-shape.ts";

type Counts = Pick<Usage, "inputTokens" | "outputTokens" | "cachedInputTokens" | "cost">;
const KEYS = ["inputTokens", "outputTokens", "cachedInputTokens", "cost"] as const;

/** A model call as the table of tokens shows it. */
export type ModelCall = { readonly messageId: string; readonly usage: Usage };

/** The model calls whose answers stand in a context, in order. */
export function modelCalls(context: JsonObject | undefined): readonly ModelCall[] {
  const messages = context?.["messages"];
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message) =>
    isMessage(message) && message.role === "assistant" && message.usage
      ? [{ messageId: message.id, usage: message.usage }]
      : [],
  );
}

/** Tokens and cost of all calls in a context. */
export function totalsAt(context: JsonObject | undefined): Counts {
  return sumUsage(modelCalls(context).map(({ usage }) => usage));
}

/** Sums of what was told. A cost that one call did not tell leaves the sum unknown: it would be too low. */
export function sumUsage(usages: readonly Usage[]): Counts {
  return Object.fromEntries(
    KEYS.flatMap((key) => {
      const known = usages.flatMap((usage) => usage[key] ?? []);
      const isUnknown = known.length === 0 || (key === "cost" && known.length < usages.length);
      return isUnknown ? [] : [[key, known.reduce((sum, value) => sum + value, 0)]];
    }),
  );
}
