import type { Block, Msg, Role } from "../../../src/message/types.ts";
import type { AgentContext } from "../context.ts";

/** A message the chart itself makes; its id and time follow from the context, so the chart stays a pure function. */
export function makeMessage(context: AgentContext, role: Role, content: readonly Block[]): Msg {
  const { settings, progress, at } = context;
  return {
    id: `${settings.sessionId}:${progress.made + 1}`,
    role,
    name: settings.agent,
    content,
    metadata: {},
    timestamp: at,
  };
}
