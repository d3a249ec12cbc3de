import { createRoute, z } from "@hono/zod-openapi";
import { needsScope } from "./authenticate.ts";
import * as replies from "./reply-schemas.ts";
import * as requests from "./request-schemas.ts";
import type { Scope } from "./tokens.ts";

const TAG = { tags: ["sessions"] };

const body = <S extends z.ZodType>(schema: S) => ({
  body: { content: { "application/json": { schema } }, required: true },
});

/** A successful response. */
export const reply = <S extends z.ZodType>(description: string, schema: S) => ({
  description,
  content: { "application/json": { schema } },
});

const errorReply = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: replies.problem } },
});

/** The errors of any route. */
export const ERRORS = {
  400: errorReply("The request is invalid"),
  401: errorReply("A valid bearer token is missing"),
  403: errorReply("The token lacks the scope"),
  404: errorReply("The tenant has no such session"),
  409: errorReply("The state of the session does not allow it"),
  413: errorReply("The body is too large"),
  415: errorReply("The body is not application/json"),
  429: errorReply("Too many requests; Retry-After is the time to wait"),
  500: errorReply("An internal error"),
  503: errorReply("The store or the queue does not respond; try again"),
};

const needs = (scope: Scope): string => `Needs the scope \`${scope}\`.`;

/** Returns the description of a route that needs a scope. */
export const allowed = (scope: Scope) => ({
  ...TAG,
  security: [{ bearer: [] }],
  description: needs(scope),
  middleware: needsScope(scope),
});

const ACCEPTED = { 202: reply("Stored durably for a worker", replies.accepted), ...ERRORS };

/** Returns the route of a command to a session, which is stored for a worker. */
const command = <const Path extends string, S extends z.ZodType>(
  path: Path,
  scope: Scope,
  summary: string,
  schema: S,
  description = needs(scope),
) =>
  createRoute({
    method: "post",
    path: `/v1/sessions/{id}/${path}`,
    summary,
    ...allowed(scope),
    description,
    request: { params: requests.sessionParams, headers: requests.idempotency, ...body(schema) },
    responses: ACCEPTED,
  });

export const createSession = createRoute({
  method: "post",
  path: "/v1/sessions",
  summary: "Create a session with its first message",
  ...allowed("write"),
  request: { headers: requests.idempotency, ...body(requests.newSession) },
  responses: ACCEPTED,
});

export const addMessage = command("messages", "write", "Add a message", requests.newMessage);

export const listSessions = createRoute({
  method: "get",
  path: "/v1/sessions",
  summary: "List the tenant's sessions by id",
  ...allowed("read"),
  request: { query: requests.listQuery },
  responses: { 200: reply("A page of sessions", replies.sessionPage), ...ERRORS },
});

export const getSession = createRoute({
  method: "get",
  path: "/v1/sessions/{id}",
  summary: "Get the state of a session and its open calls",
  ...allowed("read"),
  request: { params: requests.sessionParams },
  responses: { 200: reply("The session", replies.session), ...ERRORS },
});

export const getMessages = createRoute({
  method: "get",
  path: "/v1/sessions/{id}/messages",
  summary: "Get the transcript",
  ...allowed("read"),
  request: { params: requests.sessionParams, query: requests.messagesQuery },
  responses: { 200: reply("A page of messages", replies.messagePage), ...ERRORS },
});

export const streamEvents = createRoute({
  method: "get",
  path: "/v1/sessions/{id}/events",
  summary: "Stream the events",
  ...allowed("read"),
  request: { params: requests.sessionParams, headers: requests.lastEventId },
  responses: {
    200: {
      description:
        "Server-sent events. Facts have an `id`; a request with the last one as `Last-Event-ID` continues without a gap " +
        "or a repetition. Deltas have no id and may be missing.",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...ERRORS,
  },
});

export const decideCall = command(
  "decisions",
  "decide",
  "Decide about an open call",
  requests.newDecision,
  "Needs the scope `decide`. Answers 409 with `run/stale-decision`, and changes nothing, if the call waits for no decision, is decided, or has other arguments, and 400 with `run/bad-decision` if a worker refuses edited arguments within a second. What comes about before a worker takes the decision is the event `input.refused`.",
);

export const interruptSession = command(
  "interrupt",
  "write",
  "End the turn that runs or is suspended",
  requests.newInterrupt,
);

export const steerSession = command("steer", "write", "Add a message to the running turn", requests.newSteer);

export const cancelSession = createRoute({
  method: "post",
  path: "/v1/sessions/{id}/cancel",
  summary: "Drop the inputs that no worker has accepted, and end the turn",
  ...allowed("write"),
  request: { params: requests.sessionParams, headers: requests.idempotency },
  responses: ACCEPTED,
});

export const extendBudget = command(
  "budget",
  "decide",
  "Add to the limits of the turn, and continue it",
  requests.moreBudget,
);

export const getSlots = createRoute({
  method: "get",
  path: "/v1/sessions/{id}/slots",
  summary: "Get the slots of a session, such as its plan",
  ...allowed("read"),
  request: { params: requests.sessionParams },
  responses: { 200: reply("The slots that were written, by name", replies.slots), ...ERRORS },
});

export const setSlot = createRoute({
  method: "put",
  path: "/v1/sessions/{id}/slots/{slot}",
  summary: "Write a slot, at rest or while a turn runs",
  ...allowed("write"),
  description:
    'Answers 403 with `slot/read-only`, 400 with `slot/invalid` or `config/invalid`, or 409 with `slot/conflict` if the slot may not be written by clients, the value does not fit, the agent has no such slot, or it was written since. That is the answer of a worker: without one within a second it is 202, and a later refusal is the event `input.refused`. The slot `tools.breakpoints`, before whose calls every agent stops, also takes the scope "decide".',
  request: { params: requests.slotParams, headers: requests.idempotency, ...body(requests.newSlotValue) },
  responses: ACCEPTED,
});

export const compactSession = command(
  "compact",
  "write",
  "Sum up the conversation once no turn runs, so that the next prompt is shorter",
  requests.newCompaction,
);

export const deleteSession = createRoute({
  method: "delete",
  path: "/v1/sessions/{id}",
  summary: "Delete a session permanently",
  ...allowed("write"),
  request: { params: requests.sessionParams },
  responses: { 204: { description: "The session is deleted" }, ...ERRORS },
});

const health = reply("Healthy", z.object({ status: z.literal("ok") }));

export const healthz = createRoute({
  method: "get",
  path: "/healthz",
  summary: "Whether the process is alive",
  tags: ["operations"],
  responses: { 200: health },
});

export const readyz = createRoute({
  method: "get",
  path: "/readyz",
  summary: "Whether the store responds",
  tags: ["operations"],
  responses: { 200: health, 503: errorReply("The store does not respond") },
});
