import { AgentError } from "../core/base/error.ts";
import type { AgentEvent } from "../core/event/types.ts";
import { textOf } from "../core/message/msg.ts";
import type { Reason } from "../core/message/types.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import type { TenantSessions } from "./tenant-sessions.ts";

/** The way in which a turn came to rest. */
export type Rest = {
  readonly session: string;
  readonly reason?: Reason;
  readonly text: string;
  readonly pending: readonly PendingCall[];
};

/** The place of a session, and the listener of its progress. */
export type Following = {
  readonly session: string;
  /** The journal position before the input whose turn is waited for. */
  readonly after: number;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** The input, if it waits for the end of another turn. */
  readonly behind?: { readonly inputId: string; readonly messageId: string } | undefined;
};

function progressOf(event: AgentEvent): string | undefined {
  if (event.type === "tool.start") return event.attempt > 0 ? `runs ${event.call.name}` : undefined;
  return event.type === "tool.end" ? `${event.result.name}: ${event.result.state}` : undefined;
}

/** True if the input was refused before its turn began: nothing runs or waits, and its message was never said. */
async function isGone(sessions: TenantSessions, session: string, messageId: string): Promise<boolean> {
  const { phase, inputs } = await sessions.status(session);
  if ((phase !== "stopped" && phase !== "suspended") || inputs > 0) return false;
  for await (const event of sessions.stored(session))
    if (event.type === "message" && event.message.id === messageId) return false;
  return true;
}

/** Waits until the turn that an input began or continued rests. Rejects with its error. If `signal` aborts, the turn is interrupted. */
export async function restOf(sessions: TenantSessions, following: Following): Promise<Rest> {
  const { session, after, signal, onProgress, behind } = following;
  let text = "";
  let isOwn = behind === undefined;
  for await (const event of sessions.events(session, { after, signal })) {
    const progress = progressOf(event);
    if (isOwn && progress !== undefined) onProgress(progress);
    if (event.type === "message" && event.message.role === "assistant") text = textOf(event.message);
    if (event.type === "message") isOwn ||= event.message.id === behind?.messageId;
    if (event.type === "input.refused" && behind && event.inputId !== behind.inputId) continue;
    if (event.type === "turn.end" && !isOwn && !(await isGone(sessions, session, behind!.messageId)))
      continue;
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
  await sessions.dispatch(session, (to, sessionId) => to.interrupt(sessionId));
  throw new AgentError("run/aborted", "The call was cancelled, and the turn interrupted.");
}
