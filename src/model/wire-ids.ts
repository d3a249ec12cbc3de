import type { ToolUseBlock } from "../message/types.ts";

/** Maps call ids to wire ids, for the calls whose provider id no other call has. */
export function wireIdsOf(calls: readonly ToolUseBlock[]): ReadonlyMap<string, string> {
  const claimed = new Set(calls.map(({ id }) => id));
  const wireIds = new Map<string, string>();
  for (const { id, providerId } of calls) {
    if (providerId === undefined || claimed.has(providerId)) continue;
    claimed.add(providerId);
    wireIds.set(id, providerId);
  }
  return wireIds;
}

/** Returns a name that the server accepts: a name that the model made up would make it refuse every later request. */
export function wireName(name: string, strictNames: boolean): string {
  if (name === "") return "unknown";
  return strictNames ? name.replace(/[^\w-]/g, "_").slice(0, 64) : name;
}
