import type { Usage } from "../message/types.ts";

/** Sums what is known; what no part says stays unknown. */
export function addUsage(total: Usage, usage: Usage | undefined): Usage {
  if (!usage) return total;
  const sum: { -readonly [K in keyof Usage]: number | boolean } = { ...total };
  for (const key of [
    "inputTokens",
    "outputTokens",
    "cachedInputTokens",
    "reasoningTokens",
    "durationMs",
    "cost",
  ] as const) {
    const added = usage[key];
    if (added !== undefined) sum[key] = (total[key] ?? 0) + added;
  }
  if (usage.estimated) sum.estimated = true;
  return sum as Usage;
}
