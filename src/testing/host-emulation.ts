import { hostRefusal } from "./host-refusal.ts";
import type { EmulatedHost } from "./host-tools.ts";

/** Options of {@link emulateHost}. */
export type HostEmulationOptions = {
  /** Answers a request that is not refused. Default: the model says "Done.", in the format of the API that was asked. */
  readonly respond?:
    | ((body: { readonly [field: string]: unknown }, index: number) => Response | Promise<Response>)
    | undefined;
};

/** A host that is emulated. */
export type HostEmulation = {
  readonly host: EmulatedHost;
  /** The function that an adapter takes as `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  /** The bodies of all requests, oldest first, also of those that were refused. */
  readonly requests: readonly { readonly [field: string]: unknown }[];
  /** The reasons for which requests were refused, oldest first. */
  readonly refusals: readonly string[];
};

/**
 * Returns a host that answers in this process, and refuses with status 400 what the host of this name is known to refuse:
 * {@link hostRefusal}. For tests of adapters, and of agents over them; no network is used.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { openaiModel } from "agentchart/openai";
 * import { emulateHost } from "agentchart/testing";
 *
 * const { fetch, refusals } = emulateHost("mistral");
 * const model = openaiModel({ model: "m", apiKey: "none", baseURL: "https://api.mistral.ai/v1", fetch });
 * await createAgent({ name: "desk", model }).call("Hello!");
 * console.log(refusals); // []
 * ```
 */
export function emulateHost(host: EmulatedHost, options: HostEmulationOptions = {}): HostEmulation {
  const { respond = (body) => done(host, body) } = options;
  const requests: { readonly [field: string]: unknown }[] = [];
  const refusals: string[] = [];
  let taken = 0;
  return {
    host,
    requests,
    refusals,
    fetch: async (target, init) => {
      const text = init?.body ?? (target instanceof Request ? await target.text() : "");
      const body = JSON.parse(text as string) as { readonly [field: string]: unknown };
      requests.push(body);
      const message = hostRefusal(host, body);
      if (message === undefined) return respond(body, taken++);
      refusals.push(message);
      const error = { type: "invalid_request_error", code: 400, status: "INVALID_ARGUMENT", message };
      return Response.json({ type: "error", error }, { status: 400 });
    },
  };
}

const TEXT = "Done.";

function done(host: EmulatedHost, body: { readonly [field: string]: unknown }): Response {
  if ("contents" in body)
    return events([
      { candidates: [{ content: { role: "model", parts: [{ text: TEXT }] }, finishReason: "STOP" }] },
    ]);
  if ("input" in body) return events(responsesEvents());
  if (host === "anthropic" && !("stream_options" in body)) return events(messagesEvents());
  const choice = (delta: object, finish_reason: string | null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  return events([choice({ role: "assistant", content: TEXT }, null), choice({}, "stop"), "[DONE]"]);
}

function messagesEvents(): readonly object[] {
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
  };
  return [
    {
      type: "message_start",
      message: { ...message, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: TEXT } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: "message_stop" },
  ];
}

function responsesEvents(): readonly object[] {
  const item = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: TEXT, annotations: [] }],
  };
  const response = {
    object: "response",
    id: "resp_1",
    created_at: 0,
    model: "m",
    status: "completed",
    output: [item],
  };
  const usage = { input_tokens: 1, output_tokens: 1 };
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: TEXT },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, usage } },
  ];
}

function events(all: readonly (object | string)[]): Response {
  const text = all
    .map((event) => {
      const name = typeof event === "object" && "type" in event ? `event: ${String(event.type)}\n` : "";
      return `${name}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`;
    })
    .join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}
