import { randomUUID } from "node:crypto";
import { OpenAPIHono, type z } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { compress } from "hono/compress";
import { HTTPException } from "hono/http-exception";
import type { MiddlewareHandler } from "hono";
import { AgentError, errorInfo, messageOf } from "../core/base/error.ts";
import { guarded } from "../core/base/guarded.ts";
import { check } from "../core/base/options.ts";
import { addAgUiRoute } from "./add-ag-ui-route.ts";
import { addChatRoutes } from "./add-chat-routes.ts";
import { addMemoryRoutes } from "./add-memory-routes.ts";
import { addSessionRoutes } from "./add-session-routes.ts";
import { addWebhookRoute } from "./add-webhook-route.ts";
import { authenticate, limitRate, type ServerEnv } from "./authenticate.ts";
import type { HttpApp, RequestRecord, ServerOptions } from "./options.ts";
import { serverSchema } from "./option-schemas.ts";
import { problemResponse, RequestError } from "./request-error.ts";
import { healthz, readyz } from "./routes.ts";
import { StreamSlots } from "./stream-slots.ts";
import { loadMcpServer, mcpServers } from "./mcp-tools.ts";
import type { Access } from "./tokens.ts";
import { cors } from "hono/cors";

const MIB = 1024 * 1024;
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Agentchart", version: "1", description: "Sessions of agents that workers drive." },
};

/**
 * Returns the HTTP interface of a dispatcher: routes under `/v1`, and `/openapi.json`, `/healthz` and `/readyz`. Listen with
 * `serve`; no worker is needed in the same process. Throws `config/invalid` for invalid tokens.
 *
 * @example
 * ```ts
 * import { createServer, serve } from "agentchart/server";
 * import { sqliteStore } from "agentchart/store/sqlite";
 * import { createDispatcher, inProcessQueue } from "agentchart/worker";
 *
 * const store = sqliteStore({ path: "sessions.db" });
 * const dispatcher = createDispatcher({ store, queue: inProcessQueue() });
 * const app = createServer({
 *   dispatcher,
 *   store,
 *   tokens: [{ tenant: "acme", scopes: ["read", "write"], token: "replace-me-by-a-secret" }],
 *   onRequest: ({ method, route, status, durationMs }) => console.log(method, route, status, durationMs),
 * });
 * const { url } = await serve(app, { port: 8790 });
 * console.log(`The routes are described at ${url}/openapi.json`);
 * ```
 */
export function createServer(options: ServerOptions): HttpApp {
  check(serverSchema(), options, "createServer");
  const { store, ready, maxBodyBytes = MIB } = options;
  const app = new OpenAPIHono<ServerEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalid(result.target, result.error.issues);
    },
  });
  app.use(recordRequests(options.onRequest ?? (() => {})));
  app.use((_, next) => next().catch(throwError));
  if (options.origins) app.use(allowOrigins(options.origins));
  const guards = [
    authenticate(options.tokens),
    limitRate(options.rateLimit ?? { perSecond: 50, burst: 100 }),
    bodyLimit({ maxSize: maxBodyBytes, onError: () => tooLarge(maxBodyBytes) }),
  ] as const;
  app.use("/v1/*", compress(), ...guards);
  app.use("/mcp", ...guards);
  if (options.webhooks) {
    app.use("/webhooks/*", guards[2]);
    addWebhookRoute(app, { ...options, webhooks: options.webhooks });
  }
  addMcpRoute(app, options);
  const slots = new StreamSlots(options);
  addSessionRoutes(app, options, slots);
  addChatRoutes(app, options, slots);
  addAgUiRoute(app, options, slots);
  if (options.memory) addMemoryRoutes(app, options.memory);
  app.openapi(healthz, (c) => c.json({ status: "ok" } as const, 200));
  app.openapi(readyz, async (c) => {
    await Promise.all([store.list({ limit: 1 }), ready?.()]).catch((error: unknown) => {
      throw new AgentError("store/failed", `Not ready: ${messageOf(error)}`, { cause: error });
    });
    return c.json({ status: "ok" } as const, 200);
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  app.doc31("/openapi.json", DOCUMENT);
  app.notFound((c) =>
    problemResponse(
      new RequestError(404, "request/not-found", "The route does not exist."),
      c.get("requestId"),
    ),
  );
  app.onError((error, c) => problemResponse(requestErrorOf(error), c.get("requestId")));
  return app;
}

/** Throws an error in place of another value that a function of the user has thrown: Hono handles errors alone. */
function throwError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown });
}

function recordRequests(onRequest: (record: RequestRecord) => void): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    c.set("requestId", requestId);
    await next();
    c.header("X-Request-Id", requestId);
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Cache-Control", "no-store");
    const access = c.get("access") as ServerEnv["Variables"]["access"] | undefined;
    const sessionId = c.req.param("id");
    const record = {
      requestId,
      method: c.req.method,
      route: c.req.routePath,
      status: c.res.status,
      durationMs: Math.round(performance.now() - startedAt),
      ...(access && { tenant: access.tenant, bearer: access.name }),
      ...(sessionId !== undefined && { sessionId }),
      ...(c.error && c.res.status >= 500 && { error: errorInfo(c.error, "store/failed") }),
    };
    guarded(() => onRequest(record));
  };
}

function invalid(target: string, issues: readonly z.core.$ZodIssue[]): RequestError {
  const { path, message } = nearest(issues[0]!);
  const where = [target, ...path.map(String)].join(".");
  return new RequestError(400, "request/invalid", `${where}: ${message}`);
}

/** Returns what is wrong with a value; of one that may have several forms, with that which it comes nearest to, else with each. */
function nearest(issue: z.core.$ZodIssue): Pick<z.core.$ZodIssue, "code" | "path" | "message"> {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const forms = issue.errors.map(([first]) => nearest(first!));
  const near = forms.find(({ path, code }) => path.length > 0 || code !== "invalid_type");
  const message = near?.message ?? forms.map((form) => form.message).join("; or ");
  return { code: issue.code, path: [...issue.path, ...(near?.path ?? [])], message };
}

function tooLarge(maxBodyBytes: number): never {
  throw new RequestError(413, "request/too-large", `The body has more than ${maxBodyBytes} bytes.`);
}

/** True for the failure to read a body that its client has cut off, or whose chunks are malformed. Errors of stores and queues are typed. */
function isCutOff(error: unknown): boolean {
  if (AgentError.is(error) || !(error instanceof Error)) return false;
  const { code, name, message } = error as Error & { readonly code?: unknown };
  if (typeof code === "string" && (code.startsWith("HPE_") || CUT_OFF.has(code))) return true;
  return name === "AbortError" || message === "terminated" || message === "aborted";
}
const CUT_OFF = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "ERR_STREAM_PREMATURE_CLOSE"]);

/** The error of Hono itself, such as for a body that is not JSON, as a {@link RequestError}. */
function requestErrorOf(error: unknown): unknown {
  if (isCutOff(error)) return new RequestError(400, "request/invalid", "The body of the request is cut off.");
  if (!(error instanceof HTTPException)) return error;
  const detail = error.status === 415 ? "The body must be application/json." : error.message;
  return new RequestError(error.status, "request/invalid", detail || "The request is invalid.");
}

/** Adds `/mcp`, at which the agents are tools of an MCP server. */
function addMcpRoute(app: OpenAPIHono<ServerEnv>, options: ServerOptions): void {
  const { mcp } = options;
  if (!mcp) return;
  const load = async () => {
    const loaded = await loadMcpServer();
    const serverFor = mcpServers(loaded, { ...options, mcp });
    return loaded.createMcpHandler(({ authInfo }) => serverFor(authInfo!.extra!["access"] as Access));
  };
  let handler: ReturnType<typeof load> | undefined;
  app.all("/mcp", async (c) => {
    const access = c.get("access");
    const authInfo = { token: "", clientId: access.tenant, scopes: [...access.scopes], extra: { access } };
    return (await (handler ??= load())).fetch(c.req.raw, { authInfo });
  });
}

/** The maximum time for which a browser may cache what it was told, in s. */
const MAX_AGE_S = 600;

/** Lets pages of these origins read responses; requests of pages of other origins get status 403. A request without `Origin`, which no
 *  browser sends across origins, is not concerned. */
function allowOrigins(origins: readonly string[]): MiddlewareHandler<ServerEnv> {
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
