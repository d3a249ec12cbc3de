import type { Block, Msg, Role } from "../../../src/core/message/types.ts";
import type { AgentContext } from "../context.ts";

/** A message that the chart itself creates. Its id and time come from the context, so that the chart is a pure function. */
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
