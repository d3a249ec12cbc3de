import { isObject } from "../../../src/core/base/json.ts";
import type { JsonObject } from "../wire/types.ts";

/** True if rules have, or may have, something to say about a run: it has rules, or has called a tool. */
export function mayHaveRules(context: JsonObject | undefined): boolean {
  const progress = context?.["progress"];
  if (!isObject(progress)) return false;
  const stats = progress["stats"];
  return isObject(progress["rules"]) || (isObject(stats) && Number(stats["toolCalls"] ?? 0) > 0);
}
