// src/server serves sessions over HTTP to authenticated tenants.
export { createServer } from "./create-server.ts";
export type { HttpApp, McpServing, RequestRecord, ServerOptions } from "./options.ts";
export type { RateLimit } from "../core/base/rate-limiter.ts";
export { serve } from "./serve.ts";
export type { RunningServer, ServeOptions } from "./serve.ts";
export { readTokens } from "./tokens.ts";
export type { Scope, Token } from "./tokens.ts";
export type { Webhook, WebhookDelivery, WebhookInput } from "./webhooks.ts";
