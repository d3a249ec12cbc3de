import { createRoute, z } from "@hono/zod-openapi";
import { needsScope } from "./authenticate.ts";
import * as replies from "./reply-schemas.ts";
import * as requests from "./request-schemas.ts";
import type { Scope } from "./tokens.ts";

const TAG = { tags: ["sessions"] };

const body = <S extends z.ZodType>(schema: S) => ({
  body: { content: { "application/json": { schema } }, required: true },
});

const reply = <S extends z.ZodType>(description: string, schema: S) => ({
  description,
  content: { "application/json": { schema } },
});

const refusal = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: replies.problem } },
});

/** What any route may answer instead. */
const REFUSALS = {
  400: refusal("The request is not understood"),
  401: refusal("There is no valid bearer token"),
  403: refusal("The token lacks the scope"),
  404: refusal("The tenant has no such session"),
  409: refusal("The session is not in a state for that"),
  413: refusal("The body is too large"),
  415: refusal("The body is not application/json"),
  429: refusal("Too many requests; Retry-After says when to come back"),
  500: refusal("Something failed"),
  503: refusal("The store or the queue is away; come back"),
};

const allowed = (scope: Scope) => ({
  ...TAG,
  security: [{ bearer: [] }],
  description: `Needs the scope \`${scope}\`.`,
  middleware: needsScope(scope),
});

const ACCEPTED = { 202: reply("Kept durably; a worker goes on with it", replies.accepted), ...REFUSALS };

export const createSession = createRoute({
  method: "post",
  path: "/v1/sessions",
  summary: "Begin a session with its first message",
  ...allowed("write"),
  request: { headers: requests.idempotency, ...body(requests.newSession) },
  responses: ACCEPTED,
});

export const addMessage = createRoute({
  method: "post",
  path: "/v1/sessions/{id}/messages",
  summary: "Say the next thing",
  ...allowed("write"),
  request: { params: requests.sessionParams, headers: requests.idempotency, ...body(requests.newMessage) },
  responses: ACCEPTED,
});

export const listSessions = createRoute({
  method: "get",
  path: "/v1/sessions",
  summary: "List the tenant's sessions by id",
  ...allowed("read"),
  request: { query: requests.listQuery },
  responses: { 200: reply("A page of sessions", replies.sessionPage), ...REFUSALS },
});

export const getSession = createRoute({
  method: "get",
  path: "/v1/sessions/{id}",
  summary: "Where a session stands and what it waits for",
  ...allowed("read"),
  request: { params: requests.sessionParams },
  responses: { 200: reply("The session", replies.session), ...REFUSALS },
});

export const getMessages = createRoute({
  method: "get",
  path: "/v1/sessions/{id}/messages",
  summary: "The transcript",
  ...allowed("read"),
  request: { params: requests.sessionParams, query: requests.messagesQuery },
  responses: { 200: reply("A page of messages", replies.messagePage), ...REFUSALS },
});

export const streamEvents = createRoute({
  method: "get",
  path: "/v1/sessions/{id}/events",
  summary: "Its events as they happen",
  ...allowed("read"),
  request: { params: requests.sessionParams, headers: requests.lastEventId },
  responses: {
    200: {
      description:
        "Server-sent events. Facts have an `id`; come back with the last one in `Last-Event-ID` and none is missing or " +
        "comes twice. Deltas have no id and may be missed.",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...REFUSALS,
  },
});

export const decideCall = createRoute({
  method: "post",
  path: "/v1/sessions/{id}/decisions",
  summary: "Decide about an open call",
  ...allowed("decide"),
  request: { params: requests.sessionParams, headers: requests.idempotency, ...body(requests.newDecision) },
  responses: ACCEPTED,
});

export const interruptSession = createRoute({
  method: "post",
  path: "/v1/sessions/{id}/interrupt",
  summary: "End the turn that runs or waits",
  ...allowed("write"),
  request: { params: requests.sessionParams, headers: requests.idempotency, ...body(requests.newInterrupt) },
  responses: ACCEPTED,
});

export const steerSession = createRoute({
  method: "post",
  path: "/v1/sessions/{id}/steer",
  summary: "Say something into the running turn",
  ...allowed("write"),
  request: { params: requests.sessionParams, headers: requests.idempotency, ...body(requests.newMessage) },
  responses: ACCEPTED,
});

export const cancelSession = createRoute({
  method: "post",
  path: "/v1/sessions/{id}/cancel",
  summary: "Drop what has not been taken in, and end the turn",
  ...allowed("write"),
  request: { params: requests.sessionParams, headers: requests.idempotency },
  responses: ACCEPTED,
});

export const extendBudget = createRoute({
  method: "post",
  path: "/v1/sessions/{id}/budget",
  summary: "Add to the limits of the turn, and go on",
  ...allowed("decide"),
  request: { params: requests.sessionParams, headers: requests.idempotency, ...body(requests.moreBudget) },
  responses: ACCEPTED,
});

export const deleteSession = createRoute({
  method: "delete",
  path: "/v1/sessions/{id}",
  summary: "Delete a session for good",
  ...allowed("write"),
  request: { params: requests.sessionParams },
  responses: { 204: { description: "It is gone" }, ...REFUSALS },
});

const health = reply("Well", z.object({ status: z.literal("ok") }));

export const healthz = createRoute({
  method: "get",
  path: "/healthz",
  summary: "The process is alive",
  tags: ["operations"],
  responses: { 200: health },
});

export const readyz = createRoute({
  method: "get",
  path: "/readyz",
  summary: "Its store answers",
  tags: ["operations"],
  responses: { 200: health, 503: refusal("Its store does not answer") },
});
