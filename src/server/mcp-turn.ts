import { AgentError } from "../base/error.ts";
import type { AgentEvent } from "../event/types.ts";
import { textOf } from "../message/query.ts";
import type { Reason } from "../message/types.ts";
import type { PendingCall } from "../tool/pending.ts";
import type { TenantSessions } from "./tenant-sessions.ts";

/** How a turn came to rest. */
export type Rest = {
  readonly session: string;
  readonly reason?: Reason;
  readonly text: string;
  readonly pending: readonly PendingCall[];
};

/** Where a session is, and who is told of its progress. */
export type Following = {
  readonly session: string;
  /** The journal position before the input whose turn is waited for. */
  readonly after: number;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
};

function progressOf(event: AgentEvent): string | undefined {
  if (event.type === "tool.start") return event.attempt > 0 ? `runs ${event.call.name}` : undefined;
  return event.type === "tool.end" ? `${event.result.name}: ${event.result.state}` : undefined;
}

/** Waits until the turn that an input began or continued rests. Rejects with its error. If `signal` aborts, the turn is interrupted. */
export async function restOf(sessions: TenantSessions, following: Following): Promise<Rest> {
  const { session, after, signal, onProgress } = following;
  let text = "";
  for await (const event of sessions.events(session, { after, signal })) {
    const progress = progressOf(event);
    if (progress !== undefined) onProgress(progress);
    if (event.type === "message" && event.message.role === "assistant") text = textOf(event.message);
    if (event.type === "input.refused" || (event.type === "turn.end" && event.error)) {
      const { code, message } = event.error!;
      throw new AgentError(code, message);
    }
    if (event.type !== "turn.end") continue;
    const { pending } = await sessions.status(session);
    return {
      session,
      reason: event.reason,
      text: event.reply ? textOf(event.reply) : text,
      pending: pending.filter(({ decided }) => decided === undefined),
    };
  }
  await sessions.interrupt(session, undefined, {});
  throw new AgentError("run/aborted", "The call was cancelled, and the turn interrupted.");
}
