import type { Usage } from "./types.ts";

/** Adds two usages. A count that neither has stays unknown; a cost is known only if both are. */
export function addUsage(total: Usage, usage: Usage | undefined): Usage {
  if (!usage) return total;
  if (Object.keys(total).length === 0) return usage;
  const sum: { -readonly [K in keyof Usage]: number | boolean } = { ...total };
  for (const key of [
    "inputTokens",
    "outputTokens",
    "cachedInputTokens",
    "cacheWriteTokens",
    "reasoningTokens",
    "durationMs",
  ] as const) {
    const added = usage[key];
    if (added !== undefined) sum[key] = (total[key] ?? 0) + added;
  }
  if (total.cost !== undefined && usage.cost !== undefined) sum.cost = total.cost + usage.cost;
  else delete sum.cost;
  if (usage.estimated) sum.estimated = true;
  return sum as Usage;
}
