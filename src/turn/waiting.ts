import { openCalls } from "./calls.ts";
import type { AgentContext, Change } from "./context.ts";

/** Messages that waited enter the transcript, unless calls are still open (I2). */
export function deliverWaiting(context: AgentContext): Change {
  const waiting = [...context.queued, ...context.steering];
  if (waiting.length === 0 || openCalls(context).length > 0) return {};
  return { transcript: context.transcript.append(waiting), queued: [], steering: [] };
}
