import type { ErrorInfo } from "../core/base/error.ts";
import type { AgentEvent } from "../core/event/types.ts";
import type { StoredEvent } from "../session/replay.ts";
import { GOES_ON } from "../core/message/types.ts";
import type { TenantSessions } from "./tenant-sessions.ts";

/** The news of a turn that a page is shown: an event, or that what it has sent was refused. */
export type TurnNews = AgentEvent | { readonly type: "refused"; readonly error: ErrorInfo };

/** The events that follow a position, up to the end of a turn or the refusal of one of the `inputs`. */
export async function* newsAfter(
  sessions: TenantSessions,
  id: string,
  after: number | string,
  signal: AbortSignal,
  inputs: ReadonlySet<string> = new Set(),
): AsyncGenerator<TurnNews> {
  for await (const event of sessions.events(id, { after, signal })) {
    if (event.type === "input.refused" && inputs.has(event.inputId)) {
      yield { type: "refused", error: event.error };
      return;
    }
    yield event;
    if (event.type === "turn.end" && !event.source) return;
  }
}

/** The events so far of the turn that runs or is suspended, and where they go on if it runs. */
export type OpenTurn = { readonly events: readonly AgentEvent[]; readonly after?: number | string };

/** The turn that runs, is suspended, or is about to begin; undefined if there is none. A turn that was suspended and goes on has one end:
 *  the last. */
export async function openTurn(sessions: TenantSessions, id: string): Promise<OpenTurn | undefined> {
  const { phase, seq, inputs } = await sessions.status(id);
  if (seq === 0) return { events: [], after: 0 };
  const isSuspended = phase === "suspended";
  if (!isSuspended && phase !== "running" && inputs === 0) return undefined;
  const stored: StoredEvent[] = [];
  for await (const event of sessions.stored(id)) {
    if (stored[0] && event.turn > stored[0].turn) stored.length = 0;
    stored.push(event);
  }
  const events = stored.filter(({ type }) => type !== "turn.end");
  const end = stored.findLast((event) => event.type === "turn.end" && !(isSuspended && event.error));
  if (isSuspended) return { events: [...events, ...(end ? [end] : [])] };
  if (end && end.seq > seq) return { events: [...events, end] }; // it has ended meanwhile
  const after = stored.at(-1)?.position ?? 0;
  const isLast = end !== undefined && !events.some(({ type, seq: at }) => type !== "slot" && at > end.seq);
  const isOver = isLast && end.type === "turn.end" && !(GOES_ON.has(end.reason) && !end.error);
  return { events: isOver ? [] : events, after };
}

/** The events of the turn from its first one on, up to its end. */
export async function* newsOf(
  sessions: TenantSessions,
  id: string,
  { events, after }: OpenTurn,
  signal: AbortSignal,
): AsyncGenerator<TurnNews> {
  yield* events;
  if (after !== undefined) yield* newsAfter(sessions, id, after, signal);
}
