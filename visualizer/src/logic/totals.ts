import type { JsonObject, Usage } from "../wire/types.ts";
import { isMessage } from "./message-shape.ts";

type Counts = Pick<Usage, "inputTokens" | "outputTokens" | "cachedInputTokens" | "cost">;
const KEYS = ["inputTokens", "outputTokens", "cachedInputTokens", "cost"] as const;

/** A model call in the table of tokens. */
export type ModelCall = { readonly messageId: string; readonly usage: Usage };

/** The model calls whose answers are in a context, in order. */
export function modelCalls(context: JsonObject | undefined): readonly ModelCall[] {
  const messages = context?.["messages"];
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message) =>
    isMessage(message) && message.role === "assistant" && message.usage
      ? [{ messageId: message.id, usage: message.usage }]
      : [],
  );
}

/** The tokens and the cost of all calls in a context. */
export function totalsAt(context: JsonObject | undefined): Counts {
  return sumUsage(modelCalls(context).map(({ usage }) => usage));
}

/** Sums the known counts. The cost is unknown if that of one call is: the sum would be too low. */
export function sumUsage(usages: readonly Usage[]): Counts {
  return Object.fromEntries(
    KEYS.flatMap((key) => {
      const known = usages.flatMap((usage) => usage[key] ?? []);
      const isUnknown = known.length === 0 || (key === "cost" && known.length < usages.length);
      return isUnknown ? [] : [[key, known.reduce((sum, value) => sum + value, 0)]];
    }),
  );
}
