import { cors } from "hono/cors";
import type { MiddlewareHandler } from "hono";
import type { ServerEnv } from "./authenticate.ts";
import { RequestError } from "./request-error.ts";

/** The maximum time for which a browser may cache what it was told, in s. */
const MAX_AGE_S = 600;

/** Lets pages of these origins read responses; requests of pages of other origins get status 403. A request without `Origin`, which no
 *  browser sends across origins, is not concerned. */
export function allowOrigins(origins: readonly string[]): MiddlewareHandler<ServerEnv> {
  const allow = cors({
    origin: [...origins],
    allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID", "User-Agent"],
    exposeHeaders: ["X-Request-Id", "Retry-After", "x-vercel-ai-ui-message-stream"],
    maxAge: MAX_AGE_S,
  });
  return async (c, next) => {
    const origin = c.req.header("Origin");
    const isOwn = origin !== undefined && origin === new URL(c.req.url).origin;
    if (origin === undefined || isOwn || origins.includes(origin)) return allow(c, next);
    throw new RequestError(403, "request/forbidden", `Pages of ${JSON.stringify(origin)} are not allowed.`);
  };
}
