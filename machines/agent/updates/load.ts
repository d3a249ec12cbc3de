import type { TakeOver } from "../../../src/message/types.ts";
import type { AgentContext } from "../context.ts";
import { declare, replacing } from "../facts.ts";

/** Puts a restored session in the place of this one. A turn that was cut off rests since its last event. */
export function loadSession(
  former: AgentContext,
  { context, takeOver }: { readonly context: AgentContext; readonly takeOver?: TakeOver },
): AgentContext {
  const { listening, allowed } = former;
  const { progress, at } = context;
  const loaded: AgentContext = {
    ...context,
    listening,
    allowed,
    progress: { ...progress, restedAt: progress.restedAt ?? at },
  };
  const taken = takeOver ? [{ type: "session.taken" as const, takeOver }] : [];
  return { ...loaded, ...declare(former, { type: "loaded" }, ...taken, ...replacing(former, loaded)) };
}
