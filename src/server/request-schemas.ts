import { z } from "@hono/zod-openapi";
import { SESSION_PHASES } from "../store/port.ts";
import * as s from "../core/base/option-schema.ts";
import { limitsSchema } from "../../machines/agent/limits-schema.ts";
import { MAX_PRIORITY } from "../worker/queue/wake-schema.ts";
import {
  blocks,
  decision,
  idText,
  inPath,
  json,
  jsonObject,
  optional,
  schemaOf,
  shortText,
} from "./shared-schemas.ts";

const YEAR_MS = 31_536_000_000;

/** The id of a session, without its tenant. */
export const sessionParams = z.object({
  id: inPath(idText, "id", { example: "s_9fP2kXcQ0h6Tq1vZr8yWbA" }),
});

/** The session of a chat; the id of the chat is the client's own. */
export const chatParams = sessionParams.extend({
  chat: inPath(shortText(200), "chat", { description: "Ignored: it is the client's own id" }),
});

const clientTools = optional(
  z.array(z.strictObject({ name: z.string(), description: z.string(), inputSchema: jsonObject })),
  {
    description:
      "The tools that the client runs itself during the turn, at most 64 and 48 KiB of JSON; the agent takes those that it lists",
  },
);

/** The body that `useChat` posts; see `readChatRequest` for the part of it that counts. */
export const chatRequest = z
  .looseObject({
    messages: z.array(jsonObject).min(1).openapi({ description: "Only the last one counts" }),
    trigger: optional(z.string()),
    messageId: optional(z.string(), { description: "With a message of the user: the one that it replaces" }),
    tools: optional(z.record(z.string(), jsonObject), {
      description:
        "The tools that the page runs itself, by name: `{ description, parameters }`; the agent takes those that it lists",
    }),
    agent: optional(shortText(100), { description: "The agent of a new session" }),
  })
  .openapi("ChatRequest");

/** The body that a client of AG-UI posts; see `readRunInput` for the part of it that counts. */
export const runInput = z
  .looseObject({
    threadId: shortText(200),
    runId: shortText(200),
    messages: z.array(jsonObject).openapi({ description: "Only what is new at the end counts" }),
    tools: optional(z.array(jsonObject), {
      description: "The tools that the page runs itself; the agent takes those that it lists",
    }),
    resume: optional(z.array(jsonObject), { description: "The answers to interrupts" }),
    forwardedProps: optional(
      z.looseObject({
        agent: optional(shortText(100), { description: "The agent of a new session" }),
      }),
    ),
  })
  .openapi("RunAgentInput");

/** The name of a slot of a session. */
export const slotParams = sessionParams.extend({
  slot: inPath(shortText(64), "slot", { example: "plan" }),
});

export const idempotency = z.object({
  "idempotency-key": optional(z.string().regex(/^[\x21-\x7e]{1,128}$/, "1 to 128 visible ASCII characters"), {
    description: "Requests with the same key are one input",
  }),
});

/** The position at which the events continue. */
export const lastEventId = z.object({
  "last-event-id": optional(
    z.string().regex(/^\d{1,15}(\.\d{1,9})?$/, "the id of an event, or a journal position"),
    {
      description: "The `id` of the last event that was received; without it, all events",
    },
  ),
});

const limit = (max: number) =>
  z.coerce.number().int().min(1).max(max).default(100).openapi({ type: "integer" });

export const listQuery = z.object({
  phase: optional(z.enum(SESSION_PHASES)),
  prefix: optional(z.string().max(200), { description: "Only ids with this prefix" }),
  meta: optional(z.string().regex(/^[^:]+:/, "KEY:VALUE"), {
    description: "Only sessions with this string in their `meta`, as KEY:VALUE",
    example: "customer:42",
  }),
  cursor: optional(z.string().max(400), { description: "The `cursor` of the previous page" }),
  limit: limit(500),
});

export const messagesQuery = z.object({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .openapi({ type: "integer", description: "Number of messages to skip" }),
  limit: limit(1000),
});

const text = z.string().trim().min(1);

const userInput = z.union([text, blocks]).openapi("UserInput", {
  description: "The user's message: a string, or an array of text and media blocks",
});

const meta = z
  .record(shortText(40), z.union([z.string().max(100), z.number(), z.boolean()]))
  .refine((labels) => !("tenant" in labels), "`tenant` is set by the token")
  .refine((labels) => JSON.stringify(labels).length <= 200, "at most 200 characters of JSON");

export const newSession = z
  .strictObject({
    agent: shortText(100).openapi({ description: "The name of an agent of the workers" }),
    input: userInput,
    meta: optional(meta, { description: "Labels, to filter lists by", example: { customer: "42" } }),
    priority: optional(schemaOf(s.integer(0, MAX_PRIORITY)), {
      description: "0, the default, is first",
    }),
    delayMs: optional(schemaOf(s.integer(0, YEAR_MS)), {
      description: "Time in ms before a worker may accept it",
    }),
    clientTools,
  })
  .openapi("NewSession");

export const newMessage = z
  .strictObject({
    input: userInput,
    agent: optional(shortText(100), {
      description: "The agent of a new session: with it, a session that does not exist is created",
    }),
    clientTools,
  })
  .openapi("NewMessage");

export const newSteer = z.strictObject({ input: userInput }).openapi("NewSteer");

export const newDecision = z
  .strictObject({
    callId: z.string().min(1),
    decision,
    argsHash: z.string().openapi({ description: "The `argsHash` of the call that was decided" }),
  })
  .openapi("NewDecision");

export const newInterrupt = z
  .strictObject({ message: optional(text, { description: "Added to the transcript" }) })
  .openapi("NewInterrupt");

export const newSlotValue = z
  .strictObject({
    value: json,
    revision: optional(schemaOf(s.integer(0)), {
      description: "The revision that was seen; without it, the value replaces any other",
    }),
  })
  .openapi("NewSlotValue");

export const newCompaction = z
  .strictObject({ instructions: optional(text, { description: "What the summary is to keep" }) })
  .openapi("NewCompaction");

export const moreBudget = schemaOf(limitsSchema())
  .refine((extra) => Object.keys(extra).length > 0, "at least one limit")
  .openapi("MoreBudget");
