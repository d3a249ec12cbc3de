import { getConnInfo } from "@hono/node-server/conninfo";
import type { MiddlewareHandler } from "hono";
import { Refusal } from "./problem.ts";
import { RateLimiter, type RateLimit } from "./rate-limit.ts";
import { SCOPES, TokenBook, type Access, type Scope, type Token } from "./tokens.ts";

/** What a request carries through the server. */
export type ServerEnv = { Variables: { requestId: string; access: Access; sessionId?: string } };

/** The tenant of everybody where there are no tokens. */
const EVERYBODY: Access = { tenant: "local", scopes: SCOPES, name: "local" };

/** Finds out who asks. With tokens: the bearer of one, else 401. With "none": anybody on this machine, else 403. */
export function authenticate(tokens: readonly Token[] | "none"): MiddlewareHandler<ServerEnv> {
  const book = tokens === "none" ? undefined : new TokenBook(tokens);
  return async (c, next) => {
    if (!book) {
      if (!isFromHere(c)) throw new Refusal(403, "request/forbidden", "Only this machine may ask.");
      c.set("access", EVERYBODY);
      return next();
    }
    const [, token] = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
    const access = token === undefined ? undefined : book.find(token);
    if (!access) {
      const challenge = token === undefined ? "Bearer" : 'Bearer error="invalid_token"';
      const detail = token === undefined ? "A bearer token is needed." : "Nobody has this token.";
      throw new Refusal(401, "request/unauthorized", detail, { "WWW-Authenticate": challenge });
    }
    c.set("access", access);
    return next();
  };
}

/** Refuses with 429 who asks more often than the limit says. */
export function limitRate(limit: RateLimit): MiddlewareHandler<ServerEnv> {
  const limiter = new RateLimiter(limit);
  return async (c, next) => {
    const { tenant, name } = c.get("access");
    const waitMs = limiter.take(`${tenant}/${name}`);
    if (waitMs > 0) {
      const seconds = String(Math.ceil(waitMs / 1000));
      throw new Refusal(429, "request/too-many", "Too many requests.", { "Retry-After": seconds });
    }
    return next();
  };
}

/** Refuses with 403 who may not do that. */
export function needsScope(scope: Scope): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    if (!c.get("access").scopes.includes(scope)) {
      throw new Refusal(403, "request/forbidden", `The token has no scope "${scope}".`, {
        "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"`,
      });
    }
    return next();
  };
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]", "::1", "::ffff:127.0.0.1"]);

/** True for a name or address of this machine alone. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host.toLowerCase());
}

/** Both the peer and the name it asked for: a page of another site that has its name point here is a stranger. */
function isFromHere(c: Parameters<MiddlewareHandler<ServerEnv>>[0]): boolean {
  const origin = c.req.header("Origin");
  const names = [new URL(c.req.url).hostname, ...(origin === undefined ? [] : [hostOf(origin)])];
  const peer = hasSocket(c.env) ? (getConnInfo(c).remote.address ?? "") : "localhost";
  return [...names, peer].every(isLoopback);
}

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : "";
}

function hasSocket(env: unknown): boolean {
  return typeof env === "object" && env !== null && "incoming" in env;
}
