import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AgentError } from "../core/base/error.ts";
import { userMessage } from "../core/event/conversation/conversation-fold.ts";
import { toUIMessages } from "../ui/to-ui-messages.ts";
import { readChatRequest } from "../ui/read-chat-request.ts";
import { TurnChunks } from "../core/event/conversation/turn-chunks.ts";
import type { TurnChunk } from "../core/event/conversation/ui-message-chunk.ts";
import { assertScope, type ServerEnv } from "./authenticate.ts";
import * as routes from "./chat-routes.ts";
import { decide, say } from "./chat-input.ts";
import { newsOf, openTurn, type TurnNews } from "./chat-turn.ts";
import { dataFrames, EVENT_STREAM } from "./event-stream.ts";
import type { ServerOptions } from "./options.ts";
import type { StreamSlots } from "./stream-slots.ts";
import { TenantSessions } from "./tenant-sessions.ts";

const HEADERS = { ...EVENT_STREAM, "x-vercel-ai-ui-message-stream": "v1" };
const DONE = "data: [DONE]\n\n";

/** The chunks of a turn; a refusal is an error chunk. */
async function* chunksOf(news: AsyncIterable<TurnNews>): AsyncGenerator<TurnChunk> {
  const turn = new TurnChunks();
  for await (const event of news) {
    if (event.type === "refused") yield { type: "error", errorText: event.error.message };
    else yield* turn.push(event);
  }
}

async function* framesOf(news: AsyncIterable<TurnNews>): AsyncGenerator<string> {
  yield* dataFrames(chunksOf(news));
  yield DONE;
}

/** The key of a message: sending it twice is one input. */
function keyOf(messages: readonly unknown[]): { readonly key?: string } {
  const { id } = messages.at(-1) as { readonly id?: unknown };
  return typeof id === "string" && /^[\x21-\x7e]{1,120}$/u.test(id) ? { key: `chat:${id}` } : {};
}

/** Adds the routes of `useChat` of the AI SDK. */
export function addChatRoutes(app: OpenAPIHono<ServerEnv>, options: ServerOptions, slots: StreamSlots): void {
  const stream = (c: Context<ServerEnv>, news: (signal: AbortSignal) => AsyncIterable<TurnNews>) =>
    c.body(
      slots.open(c.get("access").tenant, (signal) => framesOf(news(signal))),
      200,
      HEADERS,
    );
  const sessionsOf = (c: Context<ServerEnv>): TenantSessions =>
    new TenantSessions(c.get("access").tenant, options);

  app.openapi(routes.chatMessages, async (c) => {
    const { id } = c.req.valid("param");
    const sessions = sessionsOf(c);
    const { seq } = await sessions.status(id);
    const waiting = await sessions.waiting(id);
    const shown = seq === 0 ? [] : await toUIMessages(sessions.stored(id));
    const known = new Set(shown.map((message) => message.id));
    return c.json([...shown, ...waiting.filter((message) => !known.has(message.id)).map(userMessage)], 200);
  });

  app.openapi(routes.chatStream, async (c) => {
    const { id } = c.req.valid("param");
    const sessions = sessionsOf(c);
    const open = await openTurn(sessions, id);
    return open ? stream(c, (signal) => newsOf(sessions, id, open, signal)) : c.body(null, 204);
  });

  app.openapi(routes.chat, async (c) => {
    const { id } = c.req.valid("param");
    const body = c.req.valid("json");
    const sessions = sessionsOf(c);
    const status = await sessions.find(id);
    const { text, decisions, clientTools } = readChatRequest(body, status?.pending ?? []);
    if (text === undefined) {
      assertScope(c, "decide");
      return stream(c, (await decide(c, sessions, id, status, decisions)) ?? none);
    }
    assertScope(c, "write");
    if (body.trigger === "regenerate-message")
      throw new AgentError("message/invalid", "An answer cannot be regenerated: say something new.");
    if (status && typeof body.messageId === "string")
      throw new AgentError("message/invalid", "A message cannot be edited: say something new.");
    const said = { text, agent: body.agent, clientTools, ...keyOf(body.messages) };
    return stream(c, (await say(sessions, id, status, said, options.agents)) ?? none);
  });
}

async function* none(): AsyncGenerator<TurnNews> {}
