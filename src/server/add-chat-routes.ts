import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AgentError } from "../base/error.ts";
import { check } from "../base/options.ts";
import { decisionSchema } from "../tool/decision-schema.ts";
import { toUIMessages } from "../ui/to-ui-messages.ts";
import { readChatRequest } from "../ui/read-chat-request.ts";
import { TurnChunks } from "../ui/turn-chunks.ts";
import type { TurnChunk } from "../ui/ui-message-chunk.ts";
import { assertScope, type ServerEnv } from "./authenticate.ts";
import * as routes from "./chat-routes.ts";
import { newsAfter, newsOf, openTurn, type TurnNews } from "./chat-turn.ts";
import { EVENT_STREAM } from "./event-stream.ts";
import type { ServerOptions } from "./options.ts";
import type { StreamSlots } from "./stream-slots.ts";
import { TenantSessions } from "./tenant-sessions.ts";

type Decisions = ReturnType<typeof readChatRequest>["decisions"];

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
  for await (const chunk of chunksOf(news)) yield `data: ${JSON.stringify(chunk)}\n\n`;
  yield DONE;
}

/** The key of a message: sending it twice is one input. */
function keyOf(messages: readonly unknown[]): { readonly idempotencyKey?: string } {
  const { id } = messages.at(-1) as { readonly id?: unknown };
  return typeof id === "string" && /^[\x21-\x7e]{1,120}$/u.test(id) ? { idempotencyKey: `chat:${id}` } : {};
}

function busy(): AgentError {
  const message = "A turn runs: add to it with POST …/steer, or wait for its end.";
  return new AgentError("run/busy", message);
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
    return c.json(seq === 0 ? [] : [...(await toUIMessages(sessions.stored(id)))], 200);
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
    const pending = status?.pending ?? [];
    const { text, decisions } = readChatRequest(body, pending);
    if (text === undefined) {
      assertScope(c, "decide");
      const inputs = await decide(c, sessions, id, decisions);
      const decided = new Set(decisions.map(({ callId }) => callId));
      if (pending.some((call) => call.decided === undefined && !decided.has(call.callId)))
        return stream(c, none); // the others are still waited for
      return stream(c, (signal) => newsAfter(sessions, id, status!.seq, signal, inputs));
    }
    assertScope(c, "write");
    if (body.trigger === "regenerate-message")
      throw new AgentError("message/invalid", "An answer cannot be regenerated: say something new.");
    if (status && (status.phase === "running" || status.inputs > 0)) throw busy();
    const key = keyOf(body.messages);
    const { inputId, state } = status
      ? await sessions.dispatch(id, text, key)
      : await sessions.begin(id, text, { ...key, agent: agentOf(body.agent, options.agents) });
    const open = state === "accepted" ? undefined : await openTurn(sessions, id);
    if (state !== "accepted" && !open) return stream(c, none); // its turn is over
    return stream(c, (signal) =>
      open
        ? newsOf(sessions, id, open, signal)
        : newsAfter(sessions, id, status?.seq ?? 0, signal, new Set([inputId])),
    );
  });
}

async function* none(): AsyncGenerator<TurnNews> {}

async function decide(
  c: Context<ServerEnv>,
  sessions: TenantSessions,
  id: string,
  decisions: Decisions,
): Promise<ReadonlySet<string>> {
  const { name, tenant } = c.get("access");
  const inputs = new Set<string>();
  for (const { decision } of decisions) check(decisionSchema(), decision, "decide", "The decision");
  for (const { callId, decision, argsHash } of decisions) {
    const { inputId } = await sessions.decide(id, callId, decision, { argsHash, by: name || tenant });
    inputs.add(inputId);
  }
  return inputs;
}

/** The agent of a new session. */
function agentOf(agent: string | undefined, known: readonly string[] | undefined): string {
  if (agent !== undefined && (known?.includes(agent) ?? true)) return agent;
  const which = known ? `one of ${known.join(", ")}` : "the name of an agent";
  throw new AgentError(
    "message/invalid",
    `The session is new: \`agent\` of the body must be ${which}, such as in \`body\` of the transport.`,
  );
}
