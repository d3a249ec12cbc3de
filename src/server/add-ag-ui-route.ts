import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Json } from "../core/base/json.ts";
import type { Msg } from "../core/message/types.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import type { AgUiEvent } from "../ui/ag-ui-event.ts";
import { RunEvents, type AgUiRun } from "../ui/ag-ui-run.ts";
import { readRunInput, type RunInput } from "../ui/read-run-input.ts";
import { assertScope, type ServerEnv } from "./authenticate.ts";
import { decide, say, type News, type Said } from "./chat-input.ts";
import * as routes from "./chat-routes.ts";
import { newsOf, openTurn, type TurnNews } from "./chat-turn.ts";
import { dataFrames, EVENT_STREAM } from "./event-stream.ts";
import type { ServerOptions } from "./options.ts";
import type { StreamSlots } from "./stream-slots.ts";
import { TenantSessions } from "./tenant-sessions.ts";

async function* eventsOf(
  run: AgUiRun,
  news: AsyncIterable<TurnNews> | undefined,
  waiting: readonly PendingCall[],
): AsyncGenerator<AgUiEvent> {
  const fold = new RunEvents(run);
  yield* fold.start();
  if (!news) yield fold.finish(waiting);
  else
    for await (const event of news) {
      if (event.type === "refused") {
        const { message, code } = event.error;
        yield { type: "RUN_ERROR", message, code };
        return;
      }
      yield* fold.push(event);
    }
}

/** The transcript so far, and the values of the slots. */
async function storedIn(
  sessions: TenantSessions,
  id: string,
): Promise<Required<Pick<AgUiRun, "messages" | "slots">>> {
  const messages = new Map<string, Msg>();
  const slots: { [name: string]: Json } = {};
  for await (const event of sessions.stored(id)) {
    if (event.source) continue;
    if (event.type === "message" && event.turn > 0) messages.set(event.message.id, event.message);
    if (event.type === "slot") slots[event.name] = event.value;
  }
  return { messages: [...messages.values()], slots };
}

/** Adds the route of AG-UI. */
export function addAgUiRoute(app: OpenAPIHono<ServerEnv>, options: ServerOptions, slots: StreamSlots): void {
  app.openapi(routes.agUi, async (c) => {
    const { id } = c.req.valid("param");
    const body = c.req.valid("json");
    const { tenant } = c.get("access");
    const sessions = new TenantSessions(tenant, options);
    const status = await sessions.find(id);
    const input = readRunInput(body, status?.pending ?? []);
    const { threadId, runId, decisions } = input;
    const stored = status && status.seq > 0 ? await storedIn(sessions, id) : { messages: [] };
    const said = saidIn(input, stored.messages);
    const decided = new Set(decisions.map(({ callId }) => callId));
    const waiting = (status?.pending ?? []).filter(({ callId }) => !decided.has(callId));
    let news: News;
    if (said) {
      assertScope(c, "write");
      news = await say(sessions, id, status, { ...said, agent: body.forwardedProps?.agent }, options.agents);
    } else if (decisions.length > 0) {
      assertScope(c, "decide");
      news = await decide(c, sessions, id, status, decisions);
    } else if (status) {
      const open = await openTurn(sessions, id);
      if (open) news = (signal) => newsOf(sessions, id, open, signal);
    }
    const run = { threadId, runId, ...stored };
    return c.body(
      slots.open(tenant, (signal) => dataFrames(eventsOf(run, news?.(signal), waiting))),
      200,
      EVENT_STREAM,
    );
  });
}

/** Returns the text that the user says, unless the session has it already. */
function saidIn({ text, messageId = "", clientTools }: RunInput, messages: readonly Msg[]): Said | undefined {
  if (text === undefined || messages.some(({ id }) => id === messageId)) return undefined;
  return { text, clientTools, ...(/^[\x21-\x7e]{1,120}$/u.test(messageId) && { key: `agui:${messageId}` }) };
}
