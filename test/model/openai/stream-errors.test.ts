// Errors within a stream.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { openaiModel } from "agentchart/openai";

type Api = "chat" | "responses";

const line = (chunk: unknown): string =>
  `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`;
const event = (name: string, data: unknown): string => `event: ${name}\n${line(data)}`;
const chunk = (delta: object, choice: object = {}): object => ({
  id: "r1",
  object: "chat.completion.chunk",
  model: "m",
  choices: [{ index: 0, delta, finish_reason: null, ...choice }],
});
const ended = (finish_reason: unknown): string => line(chunk({}, { finish_reason }));
const item = (fields: object): string =>
  line({ type: "response.output_item.added", output_index: 0, item: { id: "i", ...fields } });

/** What comes before the error. */
const PLACES: { readonly [api in Api]: { readonly [place: string]: string } } = {
  chat: {
    "at first": "",
    "after text": line(chunk({ content: "The sum is" })),
    "after a whole call": line(
      chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: '{"a":1}' } }] }),
    ),
    "within the arguments of a call": line(
      chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: '{"a":' } }] }),
    ),
    "after thinking": line(chunk({ reasoning_content: "hm" })),
  },
  responses: {
    "at first": line({ type: "response.created", response: { id: "r", status: "in_progress", output: [] } }),
    "after text": line({
      type: "response.output_text.delta",
      output_index: 0,
      content_index: 0,
      delta: "The sum is",
    }),
    "after a whole call": line({
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "function_call", id: "i", call_id: "c", name: "f", arguments: '{"a":1}' },
    }),
    "within the arguments of a call":
      item({ type: "function_call", call_id: "c", name: "f", arguments: "" }) +
      line({ type: "response.function_call_arguments.delta", output_index: 0, item_id: "i", delta: '{"a":' }),
    "after thinking": line({
      type: "response.reasoning_summary_text.delta",
      output_index: 0,
      summary_index: 0,
      delta: "hm",
    }),
  },
};

/** Errors that any proxy or server may put into a stream. */
const SHAPES: { readonly [shape: string]: string } = Object.fromEntries(
  [
    { error: { message: "boom", code: 500 } },
    { error: "boom" },
    { error: "", message: "boom" },
    { object: "error", message: "boom", type: "InternalServerError", code: 500 },
    { detail: "boom" },
    { details: [{ reason: "boom" }] },
    { code: "InternalError", message: "boom", request_id: "r" },
    { text: "boom", error_code: 50001 },
    { errors: [{ message: "boom" }], success: false },
    { type: "error", message: "boom" },
    { type: "upstream_down", message: "boom" },
    { status: "error", msg: "boom" },
    { status: 503, title: "boom" },
    { error_msg: "boom", error_code: 18 },
    { errorMessage: "boom", errorType: "Sandbox.Timedout" },
    { errno: 7, errmsg: "boom" },
    { base_resp: { status_code: 1008, status_msg: "boom" } },
    { fault: { faultstring: "boom" } },
    { exception: "boom" },
    { success: false, result: null, messages: ["boom"] },
    { Message: "boom" },
    { __type: "ThrottlingException", message: "boom" },
    { reason: "boom" },
    [{ error: { message: "boom", code: 500 } }],
    { statusCode: 502, title: "boom" },
    "boom: upstream connect error",
    '"boom"',
  ].map((shape) => [JSON.stringify(shape), line(shape)]),
);

/** Errors in the form of one API. */
const OWN: { readonly [api in Api]: { readonly [shape: string]: string } } = {
  chat: {
    "no choices, error_message": line({ choices: null, error_message: "boom" }),
    "an empty list of choices, message": line({ id: "r", choices: [], error: null, message: "boom" }),
    "an empty list of choices, detail": line({ id: "r", choices: [], detail: "boom" }),
    "an error beside a choice": line({ ...chunk({ content: "" }), error_msg: "boom" }),
    "an error in a choice": line(chunk({}, { finish_reason: "stop", error: { message: "boom" } })),
    "an error with usage": line({ choices: [], usage: { prompt_tokens: 1 }, error_message: "boom" }),
    "an error of Groq": line({ choices: [], x_groq: { error: "boom" } }),
    ...Object.fromEntries(
      [
        "error",
        "abort",
        "aborted",
        "cancelled",
        "CANCEL",
        "timeout",
        "interrupted",
        "failed",
        "network_error",
      ]
        .concat("insufficient_system_resource", "malformed_function_call", "other", "unknown", "boom")
        .map((word) => [`the finish reason ${word}`, ended(word)]),
    ),
    "a finish reason that is an object": ended({ type: "boom" }),
  },
  responses: {
    "response.failed": line({
      type: "response.failed",
      response: { status: "failed", error: { message: "boom" } },
    }),
    "response.error": line({ type: "response.error", message: "boom" }),
    "response.cancelled": line({ type: "response.cancelled", response: { status: "cancelled" } }),
    "an error": line({ type: "error", code: "x", message: "boom" }),
    "completed with an error": line({
      type: "response.completed",
      response: { status: "completed", error: { message: "boom" } },
    }),
    "completed but failed": line({ type: "response.completed", response: { status: "failed" } }),
    "incomplete for a reason that nobody knows": line({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "boom" } },
    }),
    "incomplete for no reason": line({ type: "response.incomplete", response: {} }),
    "a status that nobody knows": line({ type: "response.completed", response: { status: "boom" } }),
    "an unfinished status": line({ type: "response.completed", response: { status: "in_progress" } }),
  },
};

/** Names of events that are an error, whatever they hold. */
const EVENTS: { readonly [shape: string]: string } = Object.fromEntries(
  ["error", "Error", "exception", "failed", "abort", "timeout"].flatMap((name) =>
    [{ message: "boom" }, { anything: "boom" }, "boom"].map((data) => [
      `event ${name} ${JSON.stringify(data)}`,
      event(name, data),
    ]),
  ),
);

/** How the stream goes on after the error. */
const ENDS: { readonly [api in Api]: { readonly [end: string]: string } } = {
  chat: {
    "it is marked as done": "data: [DONE]\n\n",
    "it ends": "",
    "it ends as if nothing had been": `${ended("stop")}data: [DONE]\n\n`,
  },
  responses: {
    "it is marked as done": "data: [DONE]\n\n",
    "it ends": "",
    "it ends as if nothing had been": line({
      type: "response.completed",
      response: { id: "r", status: "completed", output: [] },
    }),
  },
};

/** Asks an agent whose model answers with this body. Returns the error, and what ran. */
async function ask(api: Api, body: string) {
  let requests = 0;
  const ran: unknown[] = [];
  const execute = (input: unknown) => {
    ran.push(input);
    return "ok";
  };
  const f = defineTool({ name: "f", description: "d", input: { type: "object" }, execute });
  const fetch = async () => {
    requests++;
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const model = openaiModel({ model: "m", api, baseURL: "https://models.test/v1", fetch });
  const agent = createAgent({
    name: "a",
    model,
    tools: [f],
    modelOptions: { execution: { maxAttempts: 1 } },
    maxIters: 1,
  });
  const error: unknown = await agent.call("x").then(
    ({ text }) => `no error, but the text ${JSON.stringify(text)}`,
    (thrown: unknown) => thrown,
  );
  return { error, ran, requests };
}

describe.each(["chat", "responses"] as const)("an error in a stream of the API %s", (api) => {
  const shapes = { ...SHAPES, ...OWN[api], ...EVENTS };
  describe.each(Object.entries(ENDS[api]))("after which %s", (_, end) => {
    test.each(Object.entries(shapes))("%s fails the answer, and no call of it runs", async (_shape, sent) => {
      for (const [place, before] of Object.entries(PLACES[api])) {
        const { error, ran, requests } = await ask(api, before + sent + end);
        expect({ place, error }).toEqual({
          place,
          error: expect.objectContaining({ code: expect.stringMatching(/^model\//), isRetryable: true }),
        });
        expect({ place, ran, requests }).toEqual({ place, ran: [], requests: 1 });
        if (sent.includes("boom"))
          expect({ place, message: (error as Error).message }).toEqual({
            place,
            message: expect.stringContaining("boom"),
          });
      }
    });
  });
});
