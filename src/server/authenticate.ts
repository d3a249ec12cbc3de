import { getConnInfo } from "@hono/node-server/conninfo";
import type { MiddlewareHandler } from "hono";
import { RateLimiter, retryAfter, wrongTokenLimiter, type RateLimit } from "../core/base/rate-limiter.ts";
import { RequestError } from "./request-error.ts";
import { SCOPES, TokenRegistry, type Access, type Scope, type Token } from "./tokens.ts";

/** The variables of a request. */
export type ServerEnv = { Variables: { requestId: string; access: Access; sessionId?: string } };

/** The access of every request without tokens. */
export const LOCAL_ACCESS: Access = { tenant: "local", scopes: SCOPES, name: "local" };

type RequestContext = Parameters<MiddlewareHandler<ServerEnv>>[0];

/** Sets the access of a request. With tokens, a request without a valid one gets status 401, or 429 if its address has sent too many
 *  such. With "none", a request from another machine gets status 403. */
export function authenticate(tokens: readonly Token[] | "none"): MiddlewareHandler<ServerEnv> {
  const registry = tokens === "none" ? undefined : new TokenRegistry(tokens);
  const wrongTokens = wrongTokenLimiter();
  return async (c, next) => {
    if (!registry) {
      if (!isLocal(c))
        throw new RequestError(403, "request/forbidden", "Only requests from this machine are allowed.");
      c.set("access", LOCAL_ACCESS);
      return next();
    }
    const [, token] = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
    const access = token === undefined ? undefined : registry.find(token);
    if (!access) {
      const waitMs = wrongTokens.take(addressOf(c));
      if (waitMs > 0) throw tooMany("Too many requests without a valid token.", waitMs);
      const challenge = token === undefined ? "Bearer" : 'Bearer error="invalid_token"';
      const detail = token === undefined ? "A bearer token is required." : "The token is unknown.";
      throw new RequestError(401, "request/unauthorized", detail, { "WWW-Authenticate": challenge });
    }
    c.set("access", access);
    return next();
  };
}

/** Responds with status 429 to requests above the rate limit of their token. */
export function limitRate(limit: RateLimit): MiddlewareHandler<ServerEnv> {
  const limiter = new RateLimiter(limit);
  return async (c, next) => {
    const { tenant, name } = c.get("access");
    const waitMs = limiter.take(`${tenant}/${name}`);
    if (waitMs > 0) throw tooMany("Too many requests.", waitMs);
    return next();
  };
}

/** Returns the error for an address or a token that has sent too many requests. */
export function tooMany(detail: string, waitMs: number): RequestError {
  return new RequestError(429, "request/too-many", detail, { "Retry-After": retryAfter(waitMs) });
}

/** Responds with status 403 to requests whose token lacks the scope. */
export function needsScope(scope: Scope): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    assertScope(c, scope);
    return next();
  };
}

/** Throws `request/forbidden` for a request whose token lacks the scope. */
export function assertScope(c: RequestContext, scope: Scope): void {
  if (!c.get("access").scopes.includes(scope)) throw lacking(scope);
}

/** Returns the error for a token that lacks a scope. */
export function lacking(scope: Scope): RequestError {
  return new RequestError(403, "request/forbidden", `The token lacks the scope "${scope}".`, {
    "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"`,
  });
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]", "::1", "::ffff:127.0.0.1"]);

/** Whether the name or address is one that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host.toLowerCase());
}

/** Whether both the client and the host name of the request are local. A page of another site may resolve its name to this machine,
 *  and its requests have that name in `Host` or `Origin`. */
function isLocal(c: RequestContext): boolean {
  const origin = c.req.header("Origin");
  const names = [new URL(c.req.url).hostname, ...(origin === undefined ? [] : [hostOf(origin)])];
  return [...names, addressOf(c)].every(isLoopback);
}

/** The address of the client; "localhost" for a request that came without a network. */
export function addressOf(c: RequestContext): string {
  return hasSocket(c.env) ? (getConnInfo(c).remote.address ?? "") : "localhost";
}

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : "";
}

function hasSocket(env: unknown): boolean {
  return typeof env === "object" && env !== null && "incoming" in env;
}
