import type { ChatModel, ToolSpec } from "../../model/port.ts";
import type { Host } from "./host.ts";

/** Of which tools a session was told that a model is not offered them. Most sessions have none. */
const told = new WeakMap<Host, Set<string>>();

/** Says once of each tool that the model is not offered it, since its provider would refuse the request. */
export function tellOmitted(host: Host, { name, leftOut }: ChatModel, tools: readonly ToolSpec[]): void {
  const omitted = tools.length > 0 ? (leftOut?.(tools) ?? []) : [];
  if (omitted.length === 0) return;
  let known = told.get(host);
  if (!known) told.set(host, (known = new Set()));
  for (const tool of omitted) {
    const key = JSON.stringify([name, tool.name]);
    if (known.has(key)) continue;
    known.add(key);
    host.emit({ type: "tool.omitted", tool: tool.name, model: name, reason: tool.reason });
  }
}
