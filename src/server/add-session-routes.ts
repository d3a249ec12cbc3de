import * as routes from "./routes.ts";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { userMsg } from "../core/message/msg.ts";
import type { MediaBlock, TextBlock } from "../core/message/types.ts";
import { BREAKPOINTS } from "../core/tool/stored-slots.ts";
import { assertScope, type ServerEnv } from "./authenticate.ts";
import type { ServerOptions } from "./options.ts";
import { positionOf } from "../core/event/position.ts";
import { EVENT_STREAM } from "./event-stream.ts";
import type { StreamSlots } from "./stream-slots.ts";
import { RequestError } from "./request-error.ts";
import { TenantSessions, type UserInput } from "./tenant-sessions.ts";
import type { CommandOptions } from "../worker/types.ts";
import type { AgentEvent } from "../core/event/types.ts";

/** The input of a request as an agent accepts it. */
function inputOf(input: string | readonly (TextBlock | MediaBlock)[]): UserInput {
  return typeof input === "string" ? input : userMsg("", { content: input });
}

function checkAgent(agent: string, known: readonly string[] = [agent]): void {
  if (known.includes(agent)) return;
  throw new RequestError(400, "request/invalid", `json.agent: unknown agent; use ${known.join(", ")}`);
}

const keyOf = (headers: { readonly "idempotency-key"?: string }): CommandOptions => ({
  idempotencyKey: headers["idempotency-key"],
});

/** Adds the routes under `/v1`. */
export function addSessionRoutes(
  app: OpenAPIHono<ServerEnv>,
  serverOptions: ServerOptions,
  slots: StreamSlots,
): void {
  const sessionsOf = (c: Context<ServerEnv>): TenantSessions =>
    new TenantSessions(c.get("access").tenant, serverOptions);
  const dispatch = (c: Context<ServerEnv>, act: Parameters<TenantSessions["dispatch"]>[1]) =>
    sessionsOf(c).dispatch(c.req.param("id")!, act);

  app.openapi(routes.createSession, async (c) => {
    const { input, ...options } = c.req.valid("json");
    checkAgent(options.agent, serverOptions.agents);
    const key = keyOf(c.req.valid("header"));
    return c.json(await sessionsOf(c).create(inputOf(input), { ...options, ...key }), 202);
  });

  app.openapi(routes.addMessage, async (c) => {
    const { id } = c.req.valid("param");
    const { input: said, agent, ...declared } = c.req.valid("json");
    const [sessions, input] = [sessionsOf(c), inputOf(said)];
    const key = { ...keyOf(c.req.valid("header")), ...declared };
    if (agent === undefined || (await sessions.find(id)))
      return c.json(await sessions.dispatch(id, (to, session) => to.dispatch(session, input, key)), 202);
    checkAgent(agent, serverOptions.agents);
    return c.json(await sessions.begin(id, input, { ...key, agent }), 202);
  });

  app.openapi(routes.listSessions, async (c) => {
    const { meta, ...filter } = c.req.valid("query");
    const [key = "", ...value] = (meta ?? "").split(":");
    const labels = meta === undefined ? undefined : { [key]: value.join(":") };
    return c.json(await sessionsOf(c).list({ ...filter, meta: labels }), 200);
  });

  app.openapi(routes.getSession, async (c) =>
    c.json(await sessionsOf(c).statusWithWaiting(c.req.valid("param").id), 200),
  );

  app.openapi(routes.getMessages, async (c) => {
    return c.json(await sessionsOf(c).messages(c.req.valid("param").id, c.req.valid("query")), 200);
  });

  app.openapi(routes.decideCall, async (c) => {
    const { callId, decision, argsHash } = c.req.valid("json");
    const { name, tenant } = c.get("access");
    const options = { ...keyOf(c.req.valid("header")), argsHash, by: name || tenant };
    return c.json(await sessionsOf(c).decide(c.req.valid("param").id, callId, decision, options), 202);
  });

  app.openapi(routes.interruptSession, async (c) => {
    const { message } = c.req.valid("json");
    const key = keyOf(c.req.valid("header"));
    return c.json(await dispatch(c, (to, session) => to.interrupt(session, message, key)), 202);
  });

  app.openapi(routes.steerSession, async (c) => {
    const message = inputOf(c.req.valid("json").input);
    const key = keyOf(c.req.valid("header"));
    return c.json(await dispatch(c, (to, session) => to.steer(session, message, key)), 202);
  });

  app.openapi(routes.cancelSession, async (c) => {
    const key = keyOf(c.req.valid("header"));
    return c.json(await dispatch(c, (to, session) => to.cancel(session, key)), 202);
  });

  app.openapi(routes.extendBudget, async (c) => {
    const [extra, key] = [c.req.valid("json"), keyOf(c.req.valid("header"))];
    return c.json(await dispatch(c, (to, session) => to.extendBudget(session, extra, key)), 202);
  });

  app.openapi(routes.getSlots, async (c) =>
    c.json({ slots: await sessionsOf(c).slots(c.req.valid("param").id) }, 200),
  );

  app.openapi(routes.setSlot, async (c) => {
    const { id, slot } = c.req.valid("param");
    const { value, revision } = c.req.valid("json");
    if (slot === BREAKPOINTS) assertScope(c, "decide");
    const options = { ...keyOf(c.req.valid("header")), revision };
    return c.json(await sessionsOf(c).setSlot(id, slot, value, options), 202);
  });

  app.openapi(routes.compactSession, async (c) => {
    const options = { ...keyOf(c.req.valid("header")), ...c.req.valid("json") };
    return c.json(await dispatch(c, (to, session) => to.compact(session, options)), 202);
  });

  app.openapi(routes.deleteSession, async (c) => {
    await sessionsOf(c).remove(c.req.valid("param").id);
    return c.body(null, 204);
  });

  addEventRoute(app, slots, sessionsOf);
}

function addEventRoute(
  app: OpenAPIHono<ServerEnv>,
  slots: StreamSlots,
  sessionsOf: (c: Context<ServerEnv>) => TenantSessions,
): void {
  app.openapi(routes.streamEvents, async (c) => {
    const { id } = c.req.valid("param");
    const { tenant } = c.get("access");
    const after = c.req.valid("header")["last-event-id"] ?? 0;
    const sessions = sessionsOf(c);
    const { seq } = await sessions.status(id);
    if (positionOf(after).seq > seq)
      throw new RequestError(400, "request/invalid", `header.last-event-id: the journal ends at ${seq}`);
    if (c.req.method === "HEAD") return c.body(null, 200, EVENT_STREAM);
    const events = (signal: AbortSignal): AsyncIterable<string> =>
      formatEvents(sessions.events(id, { after, signal }));
    return c.body(slots.open(tenant, events), 200, EVENT_STREAM);
  });
}

/** Formats events as server-sent events. An event of the journal has its position as id; others have no id. */
async function* formatEvents(events: AsyncIterable<AgentEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const id = event.position === undefined ? "" : `id: ${event.position}\n`;
    yield `${id}data: ${JSON.stringify(event)}\n\n`;
  }
}
