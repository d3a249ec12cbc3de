import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { userMsg } from "../message/create.ts";
import type { MediaBlock, TextBlock } from "../message/types.ts";
import type { ServerEnv } from "./authenticate.ts";
import type { ServerOptions } from "./options.ts";
import { framesOf, placeOf, readFrom } from "./event-frames.ts";
import { eventStream } from "./event-stream.ts";
import { Refusal } from "./problem.ts";
import * as routes from "./routes.ts";
import { TenantSessions, type Said } from "./tenant-sessions.ts";

const HEARTBEAT_MS = 15_000;
const MAX_STREAMS = 100;
/** The second line keeps nginx from gathering events. */
const EVENT_STREAM = { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" };

/** What a request says, as an agent takes it. */
function inputOf(said: string | readonly (TextBlock | MediaBlock)[]): Said {
  return typeof said === "string" ? said : userMsg("", { content: said });
}

function checkAgent(agent: string, known: readonly string[] = [agent]): void {
  if (known.includes(agent)) return;
  throw new Refusal(400, "request/invalid", `json.agent: there are ${known.join(", ")}`);
}

function keyOf(headers: { readonly "idempotency-key"?: string }): { readonly idempotencyKey?: string } {
  const key = headers["idempotency-key"];
  return key === undefined ? {} : { idempotencyKey: key };
}

/** The routes under `/v1`. */
export function addSessionRoutes(app: OpenAPIHono<ServerEnv>, options: ServerOptions): void {
  const sessionsOf = (c: Context<ServerEnv>): TenantSessions =>
    new TenantSessions(c.get("access").tenant, options);

  app.openapi(routes.createSession, async (c) => {
    const { input, ...given } = c.req.valid("json");
    checkAgent(given.agent, options.agents);
    const key = keyOf(c.req.valid("header"));
    return c.json(await sessionsOf(c).create(inputOf(input), { ...given, ...key }), 202);
  });

  app.openapi(routes.addMessage, async (c) => {
    const { id } = c.req.valid("param");
    const input = inputOf(c.req.valid("json").input);
    return c.json(await sessionsOf(c).say(id, input, keyOf(c.req.valid("header"))), 202);
  });

  app.openapi(routes.listSessions, async (c) => {
    const { meta, ...filter } = c.req.valid("query");
    const [key = "", ...value] = (meta ?? "").split(":");
    const label = meta === undefined ? {} : { meta: { [key]: value.join(":") } };
    return c.json(await sessionsOf(c).list({ ...filter, ...label }), 200);
  });

  app.openapi(routes.getSession, async (c) =>
    c.json(await sessionsOf(c).status(c.req.valid("param").id), 200),
  );

  app.openapi(routes.getMessages, async (c) => {
    const { after, limit } = c.req.valid("query");
    const messages = await sessionsOf(c).messages(c.req.valid("param").id);
    return c.json({ messages: messages.slice(after, after + limit), total: messages.length }, 200);
  });

  app.openapi(routes.decideCall, async (c) => {
    const { callId, decision, argsHash } = c.req.valid("json");
    const given = { ...keyOf(c.req.valid("header")), argsHash };
    return c.json(await sessionsOf(c).decide(c.req.valid("param").id, callId, decision, given), 202);
  });

  app.openapi(routes.interruptSession, async (c) => {
    const { message } = c.req.valid("json");
    const key = keyOf(c.req.valid("header"));
    return c.json(await sessionsOf(c).interrupt(c.req.valid("param").id, message, key), 202);
  });

  app.openapi(routes.steerSession, async (c) => {
    const message = inputOf(c.req.valid("json").input);
    const key = keyOf(c.req.valid("header"));
    return c.json(await sessionsOf(c).steer(c.req.valid("param").id, message, key), 202);
  });

  app.openapi(routes.cancelSession, async (c) => {
    const key = keyOf(c.req.valid("header"));
    return c.json(await sessionsOf(c).cancel(c.req.valid("param").id, key), 202);
  });

  app.openapi(routes.extendBudget, async (c) => {
    const key = keyOf(c.req.valid("header"));
    return c.json(await sessionsOf(c).extendBudget(c.req.valid("param").id, c.req.valid("json"), key), 202);
  });

  app.openapi(routes.deleteSession, async (c) => {
    await sessionsOf(c).remove(c.req.valid("param").id);
    return c.body(null, 204);
  });

  addEventRoute(app, options, sessionsOf);
}

function addEventRoute(
  app: OpenAPIHono<ServerEnv>,
  { heartbeatMs = HEARTBEAT_MS, maxStreams = MAX_STREAMS }: ServerOptions,
  sessionsOf: (c: Context<ServerEnv>) => TenantSessions,
): void {
  const open = new Map<string, number>();
  const count = (tenant: string, by: 1 | -1): number => {
    const now = (open.get(tenant) ?? 0) + by;
    open.set(tenant, now);
    return now;
  };

  app.openapi(routes.streamEvents, async (c) => {
    const { id } = c.req.valid("param");
    const { tenant } = c.get("access");
    const place = placeOf(c.req.valid("header")["last-event-id"]);
    const sessions = sessionsOf(c);
    const { seq } = await sessions.status(id);
    if (place.seq > seq)
      throw new Refusal(400, "request/invalid", `header.last-event-id: the session is at ${seq} only`);
    if (c.req.method === "HEAD") return c.body(null, 200, EVENT_STREAM); // nobody would read a stream
    if (count(tenant, 1) > maxStreams) {
      count(tenant, -1);
      throw new Refusal(429, "request/too-many", "Too many event streams are open.", { "Retry-After": "5" });
    }
    const frames = (signal: AbortSignal): AsyncIterable<string> =>
      framesOf(sessions.events(id, { after: readFrom(place), signal }), place);
    const body = eventStream(frames, { heartbeatMs, onEnd: () => void count(tenant, -1) });
    return c.body(body, 200, EVENT_STREAM);
  });
}
