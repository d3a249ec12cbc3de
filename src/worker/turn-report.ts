import { randomUUID } from "node:crypto";
import type { JsonObject } from "../core/base/json.ts";
import { truncated } from "../core/base/shown.ts";
import type { AgentEvent } from "../core/event/types.ts";
import { userMsg, textOf } from "../core/message/msg.ts";
import type { Msg } from "../core/message/types.ts";
import { readAcceptedInput } from "../session/input-outcome.ts";
import { openSession } from "../session/open-session.ts";
import { READER_SETTINGS } from "../session/reader-settings.ts";
import type { SessionInput, SessionStore } from "../store/port.ts";
import { commandData, type InboxCommand, sessionMeta } from "./inbox.ts";

/** The most characters of a reply that a session is told which has asked for it. */
const MAX_CHARS = 20_000;

/** The way in which a turn came to rest. */
export type TurnEnd = Extract<AgentEvent, { readonly type: "turn.end" }>;

/** Returns how the turn of this input came to rest, or why it was refused; undefined if neither is so. Of an input of which the
 *  session does not say its turn it is the last turn. */
export async function lastTurnEnd(
  store: SessionStore,
  sessionId: string,
  inputId: string,
): Promise<TurnEnd | undefined> {
  const stored = await openSession(store, sessionId);
  const ends: TurnEnd[] = [];
  let reply: Msg | undefined;
  for await (const event of stored.events()) {
    if (event.type === "message") reply = event.message.role === "assistant" ? event.message : undefined;
    if (event.type === "turn.end") ends.push({ ...event, ...(reply && { reply }) });
    if (event.type !== "input.refused" || event.inputId !== inputId) continue;
    const { type: _, inputId: __, error, ...base } = event;
    return { ...base, type: "turn.end", reason: "ERROR", error };
  }
  const last = ends.at(-1);
  if (ends[0]?.turn === last?.turn) return last;
  const { turn: own } = (await readAcceptedInput(store, { ...READER_SETTINGS, sessionId }, inputId)) ?? {};
  return own === undefined ? last : ends.findLast(({ turn }) => turn === own);
}

/** Returns what a model is told of the end of a turn. */
export function endText({ reason, reply, error }: Pick<TurnEnd, "reason" | "reply" | "error">): string {
  if (error) return `It has failed: ${error.message}`;
  const text = reply ? textOf(reply) : "";
  const shown = truncated(text, MAX_CHARS) || "(No response)";
  if (reason === "INTERRUPTED") return "It was cancelled.";
  return reason === "MAX_ITERATIONS" ? `It ran out of iterations. Its summary:\n${shown}` : shown;
}

/** The message with which a session is told that a turn has ended which it has asked for. */
function reportMessage(sessionId: string, meta: JsonObject, end: TurnEnd): Msg {
  const { agent, parent } = meta as {
    readonly agent?: string;
    readonly parent?: { readonly callId?: string };
  };
  const name = agent ?? sessionId;
  const task = parent?.callId ?? sessionId;
  return userMsg(`Task ${task} of '${name}' has ended.\n${endText(end)}`, {
    id: randomUUID(),
    name,
    metadata: { task: { id: task, sessionId, reason: end.reason } },
  });
}

type ReportCommand = Extract<InboxCommand, { readonly kind: "report" }>;

/** Puts an input into the inbox of a session, and wakes it. */
export type Put = (sessionId: string, input: SessionInput) => Promise<void>;

/** Puts the report of a turn into the inbox of its own session before the turn begins, so that it is made whatever becomes of the process.
 *  Does nothing for an input whose end nobody has asked for. */
export async function promiseReport(
  store: SessionStore,
  sessionId: string,
  { id }: SessionInput,
  command: InboxCommand,
): Promise<void> {
  if (command.kind !== "call" || command.reportTo === undefined) return;
  const report: ReportCommand = { kind: "report", to: command.reportTo, of: id, at: command.at };
  await store.putInput(sessionId, { id: `${id}/report`, data: commandData(report) });
}

/** Tells another session how the turn has ended that it has asked for. Whoever does it again does nothing: the message has an id. */
export async function tellReport(
  store: SessionStore,
  put: Put,
  sessionId: string,
  { id, command, at }: { readonly id: string; readonly command: ReportCommand; readonly at: number },
): Promise<void> {
  const end = await lastTurnEnd(store, sessionId, command.of);
  const [own, other] = [await store.load(sessionId), await store.load(command.to)];
  if (!end || sessionMeta(other?.position, [])["agent"] === undefined) return;
  const message = reportMessage(sessionId, sessionMeta(own?.position, []), end);
  await put(command.to, { id: `${sessionId}/${id}`, data: commandData({ kind: "notify", message, at }) });
}
