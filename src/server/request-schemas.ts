import { z } from "@hono/zod-openapi";
import { SESSION_PHASES } from "../store/port.ts";
import { blocks, decision, maybe } from "./schema-kit.ts";

const YEAR_MS = 31_536_000_000;

/** A session by the id its tenant knows it by. */
export const sessionParams = z.object({
  id: z
    .string()
    .min(1)
    .max(200)
    .refine((id) => id.isWellFormed() && !/\p{Cc}/u.test(id), "no control characters")
    .openapi({ param: { name: "id", in: "path" }, example: "s_9fP2kXcQ0h6Tq1vZr8yWbA" }),
});

export const idempotency = z.object({
  "idempotency-key": maybe(z.string().regex(/^[\x21-\x7e]{1,128}$/, "1 to 128 visible ASCII characters"), {
    description: "A repeated request with the same key is one input",
  }),
});

/** Where to go on with the events. */
export const lastEventId = z.object({
  "last-event-id": maybe(
    z.string().regex(/^\d{1,15}(\.\d{1,9})?$/, "the id of an event, or a journal position"),
    {
      description: "The `id` of the last event that was seen; without it, all from the first fact on",
    },
  ),
});

const limit = (most: number) =>
  z.coerce.number().int().min(1).max(most).default(100).openapi({ type: "integer" });

export const listQuery = z.object({
  phase: maybe(z.enum(SESSION_PHASES)),
  prefix: maybe(z.string().max(200), { description: "The id begins so" }),
  meta: maybe(z.string().regex(/^[^:]+:/, "KEY:VALUE"), {
    description: "A text in the session's meta, as KEY:VALUE",
    example: "customer:42",
  }),
  cursor: maybe(z.string().max(400), { description: "The `cursor` of the page before" }),
  limit: limit(500),
});

export const messagesQuery = z.object({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .openapi({ type: "integer", description: "How many messages to skip" }),
  limit: limit(1000),
});

const text = z.string().trim().min(1);

const said = z
  .union([text, blocks])
  .openapi("Said", { description: "What the user says: a text, or blocks of text and media" });

const meta = z
  .record(z.string().min(1).max(40), z.union([z.string().max(100), z.number(), z.boolean()]))
  .refine((labels) => !("tenant" in labels), "`tenant` is that of the token")
  .refine((labels) => JSON.stringify(labels).length <= 200, "at most 200 characters of JSON");

export const newSession = z
  .strictObject({
    agent: z.string().min(1).max(100).openapi({ description: "Which of the workers' agents" }),
    input: said,
    meta: maybe(meta, { description: "Labels, for lists", example: { customer: "42" } }),
    priority: maybe(z.number().int().min(0).max(2_097_152), {
      description: "From 0, first, which it is unless given",
    }),
    delayMs: maybe(z.number().int().min(0).max(YEAR_MS), {
      description: "Not taken in before so many ms from now",
    }),
  })
  .openapi("NewSession");

export const newMessage = z.strictObject({ input: said }).openapi("NewMessage");

export const newDecision = z
  .strictObject({
    callId: z.string().min(1),
    decision,
    argsHash: z.string().openapi({ description: "That of the call as it was shown to whoever decides" }),
  })
  .openapi("NewDecision");

export const newInterrupt = z
  .strictObject({ message: maybe(text, { description: "Stands in the transcript" }) })
  .openapi("NewInterrupt");

const more = maybe(z.number().positive());

export const moreBudget = z
  .strictObject({
    modelCalls: more,
    toolCalls: more,
    inputTokens: more,
    outputTokens: more,
    totalTokens: more,
    cost: more,
    wallMs: more,
  })
  .refine((extra) => Object.keys(extra).length > 0, "at least one limit")
  .openapi("MoreBudget");
