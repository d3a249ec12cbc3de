import { z } from "@hono/zod-openapi";
import { REASONS, type Msg } from "../core/message/types.ts";
import { SESSION_PHASES } from "../store/port.ts";
import { CALL_WAITS_FOR } from "../core/tool/pending.ts";
import { decision, json, jsonObject, optional } from "./shared-schemas.ts";

const EPOCH_MS = { description: "Epoch ms" };

const pendingCall = z
  .object({
    callId: z.string().openapi({ description: "The id of the call; of a question, CALL/QUESTION" }),
    name: z.string(),
    input: jsonObject,
    argsHash: z.string().openapi({ description: "Sent back with the decision" }),
    waitsFor: z.enum(CALL_WAITS_FOR),
    reason: optional(z.string()),
    since: z.number().openapi(EPOCH_MS),
    expiresAt: optional(z.number(), EPOCH_MS),
    answerSchema: optional(jsonObject),
    ask: optional(
      z.object({ kind: z.enum(["form", "url", "approval", "question"]), url: optional(z.string()) }),
      { description: "There for a question of a call that goes on" },
    ),
    path: optional(z.array(z.string()).readonly(), {
      description: "The tools inside of which the call waits, the outermost first",
    }),
    decided: optional(decision),
    decidedBy: optional(z.string(), { description: "The name of the token with which it was decided" }),
  })
  .openapi("PendingCall");

const sessionFields = {
  id: z.string(),
  phase: z.enum(SESSION_PHASES),
  waitsFor: z.array(z.enum([...CALL_WAITS_FOR, "budget", "breakpoint"])).readonly(),
  seq: z.number().int().openapi({ description: "The last position of its journal" }),
  wakeAt: optional(z.number(), { description: "Epoch ms when a worker continues it without an input" }),
  meta: jsonObject,
};

const sessionInfo = z
  .object({
    ...sessionFields,
    agent: optional(z.string(), { description: "The name of the agent that wrote it last" }),
    title: optional(z.string(), { description: "The first words of the first user message" }),
    error: optional(z.object({ code: z.string(), message: z.string() }), {
      description: "Why the last turn failed",
    }),
    updatedAt: z.number().openapi(EPOCH_MS),
  })
  .openapi("SessionInfo");

const ROLES = ["system", "user", "assistant", "tool"];
const BLOCKS = ["text", "thinking", "image", "audio", "video", "tool_use", "tool_result", "provider"];

const message = z.custom<Msg>().openapi("Message", {
  type: "object",
  required: ["id", "role", "name", "content", "metadata", "timestamp"],
  properties: {
    id: { type: "string" },
    role: { type: "string", enum: ROLES },
    name: { type: "string" },
    content: {
      type: "array",
      items: { type: "object", required: ["type"], properties: { type: { type: "string", enum: BLOCKS } } },
    },
    metadata: { type: "object" },
    timestamp: { type: "number", ...EPOCH_MS },
  },
});

export const session = z
  .object({
    ...sessionFields,
    agent: optional(z.string()),
    reason: optional(z.enum(REASONS), { description: "Why the last turn ended" }),
    error: optional(z.object({ code: z.string(), message: z.string() }), {
      description:
        "Why the last turn failed, or why the last inputs were refused: their agent cannot be made",
    }),
    pending: z.array(pendingCall).readonly().openapi({ description: "The open calls" }),
    inputs: z.number().int().openapi({ description: "Inputs that no worker has accepted yet, at most 100" }),
    waiting: z.array(message).readonly().openapi({ description: "The messages of the user among them" }),
    quarantine: optional(z.object({ reason: z.string(), at: z.number().openapi(EPOCH_MS) })),
  })
  .openapi("Session");

export const sessionPage = z
  .object({
    sessions: z.array(sessionInfo).readonly(),
    cursor: optional(z.string(), { description: "Present if there may be more sessions" }),
  })
  .openapi("SessionPage");

export const messagePage = z
  .object({ messages: z.array(message).readonly(), total: z.number().int() })
  .openapi("MessagePage");

export const slots = z
  .object({
    slots: z.record(
      z.string(),
      z.object({
        value: json,
        revision: z.number().int().openapi({ description: "How often it was written" }),
      }),
    ),
  })
  .openapi("Slots");

export const accepted = z
  .object({
    id: z.string().openapi({ description: "The id of the session" }),
    inputId: z.string(),
    state: z.enum(["accepted", "duplicate"]),
    woken: z
      .boolean()
      .openapi({ description: "False if the queue failed; then a worker finds the input later" }),
  })
  .openapi("Accepted");

/** An error, as RFC 9457 defines it. */
export const problem = z
  .object({
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string().openapi({ example: "session/not-found" }),
    docs: z.string().openapi({ example: "agentchart/docs/guide/errors.md#session-not-found" }),
    requestId: z.string(),
  })
  .openapi("Problem");

/** The messages of a conversation as the AI SDK has them. */
export const uiMessages = z
  .array(
    z.object({
      id: z.string(),
      role: z.enum(["user", "assistant"]),
      parts: z.array(jsonObject).readonly(),
      metadata: optional(z.object({ turn: z.number().int(), reason: optional(z.string()) })),
    }),
  )
  .openapi("UIMessages");
