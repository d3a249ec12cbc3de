import * as s from "../core/base/option-schema.ts";
import type { RateLimit } from "../core/base/rate-limiter.ts";
import { storeSchema } from "../store/store-schema.ts";
import type { Dispatcher } from "../worker/types.ts";
import { webhookSchema } from "./webhooks.ts";
import type { McpServing, ServerOptions } from "./options.ts";

/** The schema of {@link RateLimit}. */
export const rateLimitSchema = s.lazily(() =>
  s.options<RateLimit>({ perSecond: s.positive(), burst: s.atLeast(1) }),
);

/** The schema of {@link McpServing}. */
export const mcpServingSchema = s.lazily(() =>
  s.options<McpServing>({
    agents: s.recordOf(s.nonEmpty("what the agent does")),
    key: s.secret("at least 32 bytes", /^.{32,}$/su),
    ttlSeconds: s.optional(s.integer(1)),
  }),
);

/** The schema of {@link ServerOptions}. */
export const serverSchema = s.lazily(() =>
  s.options<ServerOptions>(
    {
      dispatcher: s.having<Dispatcher>(
        "dispatch",
        "a Dispatcher, such as createDispatcher({ store, queue })",
      ),
      store: storeSchema(),
      tokens: s.value((given) => given === "none" || Array.isArray(given), 'an array of tokens, or "none"'),
      agents: s.optional(s.listOf(s.nonEmpty("the name of an agent"))),
      origins: s.optional(
        s.listOf(s.matching(/^https?:\/\/[^/\s*]+$/u, "an origin such as https://app.example.com")),
      ),
      mcp: s.optional(mcpServingSchema()),
      memory: s.optional(s.having("search", "a MemoryStore, such as sqliteMemory({ path })")),
      webhooks: s.optional(s.recordOf(webhookSchema())),
      now: s.optional(s.func()),
      maxBodyBytes: s.optional(s.integer(1)),
      rateLimit: s.optional(rateLimitSchema()),
      maxStreams: s.optional(s.integer(0)),
      heartbeatMs: s.optional(s.integer(1)),
      ready: s.optional(s.func()),
      onRequest: s.optional(s.func()),
    },
    { what: "an object with `dispatcher`, `store` and `tokens`" },
  ),
);
