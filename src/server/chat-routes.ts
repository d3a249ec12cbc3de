import { createRoute, z } from "@hono/zod-openapi";
import { chatParams, chatRequest, runInput, sessionParams } from "./request-schemas.ts";
import { uiMessages } from "./reply-schemas.ts";
import { allowed, ERRORS, reply } from "./routes.ts";

const CHUNKS = {
  description:
    "The AI SDK's UI message stream, version 1, of the turn: up to its end, or until it is suspended.",
  content: { "text/event-stream": { schema: z.string() } },
};

export const chat = createRoute({
  method: "post",
  path: "/v1/sessions/{id}/chat",
  summary: "Send what `useChat` of the AI SDK posts, and stream the turn",
  ...allowed("read"),
  description:
    "Needs the scope `read`, and `write` for a message or `decide` for decisions. Only the last message counts: the text of the user, or the decisions about calls that wait.",
  request: {
    params: sessionParams,
    body: { content: { "application/json": { schema: chatRequest } }, required: true },
  },
  responses: { 200: CHUNKS, ...ERRORS },
});

export const chatStream = createRoute({
  method: "get",
  path: "/v1/sessions/{id}/chat/{chat}/stream",
  summary: "Stream the turn that runs or is suspended, from its beginning",
  ...allowed("read"),
  request: { params: chatParams },
  responses: { 200: CHUNKS, 204: { description: "No turn runs or is suspended" }, ...ERRORS },
});

export const chatMessages = createRoute({
  method: "get",
  path: "/v1/sessions/{id}/chat",
  summary: "Get the conversation as `useChat` shows it",
  ...allowed("read"),
  request: { params: sessionParams },
  responses: { 200: reply("The messages", uiMessages), ...ERRORS },
});

export const agUi = createRoute({
  method: "post",
  path: "/v1/sessions/{id}/agui",
  summary: "Send what a client of AG-UI posts, and stream the run",
  ...allowed("read"),
  description:
    "Needs the scope `read`, and `write` for a message or `decide` for answers. Only what is new counts: the last message of the user, results of tools of the page, or `resume`. Without these, the stream shows the turn that runs or is suspended.",
  request: {
    params: sessionParams,
    body: { content: { "application/json": { schema: runInput } }, required: true },
  },
  responses: {
    200: {
      description: "The events of AG-UI, version 1.0, of the run",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...ERRORS,
  },
});
