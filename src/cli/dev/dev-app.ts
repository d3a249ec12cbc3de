import { Hono } from "hono";
import { compress } from "hono/compress";
import { AgentError } from "../../core/base/error.ts";
import { bearerOf, type AccessPolicy } from "../../inspect/hub/access-policy.ts";
import { pageResponse } from "../../inspect/hub/page-files.ts";
import { TokenGate } from "../../inspect/hub/token-gate.ts";
import { dataFrames, EVENT_STREAM, eventStream } from "../../server/event-stream.ts";
import type { HttpApp } from "../../server/options.ts";
import type { ForkedChat } from "./fork-chat.ts";
import type { DevState } from "./dev-state.ts";

const HEARTBEAT_MS = 15_000;
/** The statuses of errors of a fork; 400 for all others. */
const FORK_STATUS: { readonly [code: string]: 404 | 409 } = { "session/not-found": 404, "run/busy": 409 };

export type DevAppOptions = {
  /** The routes under `/v1`: those of the agents that run now. */
  readonly api: () => HttpApp;
  /** Returns the policy; a function, because the port is known only after the server listens. */
  readonly policy: () => AccessPolicy;
  readonly token: string;
  readonly state: DevState;
  /** Forks a chat before a message. */
  readonly fork: (request: unknown) => Promise<ForkedChat>;
  /** The folder of the built chat page. */
  readonly pageFolder: string;
};

/** Returns the server of `agentchart dev`. It serves the chat page for everyone who reaches it, and with the token the sessions, at
 *  `/dev/events` what the page shows of the server, and at `/dev/fork` a chat that goes on from before a message. */
export function devApp({ api, policy, token, state, fork, pageFolder }: DevAppOptions): HttpApp {
  const app = new Hono();
  const gate = new TokenGate(token);
  app.use(compress());
  app.use(async (c, next) => {
    const { isOurHost, headers } = policy();
    if (isOurHost(c.req.header("host"))) await next();
    else c.res = c.text("This server does not serve that host name.", 421);
    for (const [name, value] of Object.entries(headers))
      if (name !== "cache-control" || !c.res.headers.has(name)) c.res.headers.set(name, value);
  });
  app.use("/dev/*", async (c, next) => {
    const { incoming } = (c.env ?? {}) as {
      readonly incoming?: { readonly socket: { remoteAddress?: string } };
    };
    const refusal = gate.refusal(bearerOf(c.req.header("authorization")), incoming?.socket.remoteAddress);
    if (!refusal) return next();
    c.res = c.json({ title: refusal.reason }, refusal.status);
  });
  app.post("/dev/fork", async (c) => {
    try {
      return c.json(await fork(await c.req.json<unknown>().catch(() => undefined)));
    } catch (error) {
      if (!AgentError.is(error)) throw error;
      return c.json({ title: error.message }, FORK_STATUS[error.code] ?? 400);
    }
  });
  app.get("/dev/events", (c) => {
    const frames = (signal: AbortSignal) => dataFrames(state.follow(signal));
    return c.body(eventStream(frames, { heartbeatMs: HEARTBEAT_MS }), 200, EVENT_STREAM);
  });
  for (const path of ["/v1/*", "/openapi.json", "/healthz", "/readyz"])
    app.all(path, (c) => api().fetch(c.req.raw, c.env as object));
  app.get("*", async (c) => (await pageResponse(pageFolder, c.req.raw)) ?? c.text("Not found.\n", 404));
  return app;
}
