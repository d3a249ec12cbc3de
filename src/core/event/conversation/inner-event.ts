import type { AgentEvent } from "../types.ts";

/** The id of what an event is about, which begins with the call inside of which it happened. */
function idOf(event: AgentEvent): string {
  if (event.type === "message") return event.message.id;
  if (event.type === "tool.start") return event.call.id;
  if ("messageId" in event) return event.messageId;
  return "callId" in event ? (event.callId ?? "") : "";
}

/** The call, of these, inside of which an event of a sub-agent happened; undefined for an event without an id. */
export function callAround(event: AgentEvent, calls: Iterable<string>): string | undefined {
  const id = idOf(event);
  for (const call of calls) if (id.startsWith(`${call}/`)) return call;
  return undefined;
}

/** An event of a sub-agent as that agent has it. */
export function innerEvent({ source: [, ...source] = [], ...event }: AgentEvent): AgentEvent {
  return { ...event, ...(source.length > 0 && { source }) } as AgentEvent;
}
