// The contract of models, over packages of the AI SDK.
import { describe, test } from "vitest";
import { aiSdkModel } from "agentchart/ai-sdk";
import { modelContract, type ModelBehaviour, type ModelRecording } from "agentchart/testing";
import { providers } from "./providers.ts";
import { modelRecordings } from "../fixtures/recordings/model-recordings.ts";

type Behaviours = { readonly [B in ModelBehaviour]: () => Response };

const sse = (events: readonly object[], isOpen = false): Response => {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(text));
      if (!isOpen) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};
const busy = () =>
  Response.json({ error: { message: "Overloaded", type: "overloaded_error" } }, { status: 503 });

const message = {
  type: "message_start",
  message: {
    id: "m",
    model: "m",
    role: "assistant",
    content: [],
    usage: { input_tokens: 7, output_tokens: 0 },
  },
};
const block = (index: number, content_block: object, delta: object) => [
  { type: "content_block_start", index, content_block },
  { type: "content_block_delta", index, delta },
  { type: "content_block_stop", index },
];
const hello = block(0, { type: "text", text: "" }, { type: "text_delta", text: "Hello world" });
const use = (index: number, input: object) =>
  block(
    index,
    { type: "tool_use", id: `c${index}`, name: "add", input: {} },
    { type: "input_json_delta", partial_json: JSON.stringify(input) },
  );
const ended = (stop_reason: string) => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "r",
  model: "m",
  created: 7,
  choices: [{ index: 0, delta, finish_reason }],
});
const chatCall = (index: number, input: object) => ({
  index,
  id: `c${index}`,
  type: "function",
  function: { name: "add", arguments: JSON.stringify(input) },
});
const chatEnd = (reason: string) => ({
  ...chunk({}, reason),
  usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
});

const item = (output_index: number, fields: object) => [
  { type: "response.output_item.added", output_index, item: fields },
  { type: "response.output_item.done", output_index, item: { ...fields, status: "completed" } },
];
const said = { type: "message", id: "msg_1", role: "assistant", content: [] };
const saying = [
  { type: "response.output_item.added", output_index: 0, item: said },
  {
    type: "response.output_text.delta",
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    delta: "Hello world",
  },
  { type: "response.output_item.done", output_index: 0, item: said },
];
const functionCall = (index: number, input: object) =>
  item(index, {
    type: "function_call",
    id: `fc_${index}`,
    call_id: `c${index}`,
    name: "add",
    arguments: JSON.stringify(input),
  });
const created = { type: "response.created", response: { id: "resp_1", created_at: 7, model: "m" } };
const completed = {
  type: "response.completed",
  response: { id: "resp_1", usage: { input_tokens: 7, output_tokens: 2 } },
};

const gemini = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
});

/** What the servers of each API answer. */
const BEHAVIOURS: { readonly [W in ModelRecording["wire"]]: Behaviours } = {
  anthropic: {
    answers: () => sse([message, ...hello, ...ended("end_turn")]),
    callsTools: () =>
      sse([message, ...use(0, { a: 1, b: 2 }), ...use(1, { a: 3, b: 4 }), ...ended("tool_use")]),
    failsRetryably: busy,
    hangs: () => sse([message, ...hello], true),
  },
  chat: {
    answers: () => sse([chunk({ role: "assistant", content: "Hello world" }), chatEnd("stop")]),
    callsTools: () =>
      sse([
        chunk({ role: "assistant", tool_calls: [chatCall(0, { a: 1, b: 2 })] }),
        chunk({ tool_calls: [chatCall(1, { a: 3, b: 4 })] }),
        chatEnd("tool_calls"),
      ]),
    failsRetryably: busy,
    hangs: () => sse([chunk({ role: "assistant", content: "and" })], true),
  },
  responses: {
    answers: () => sse([created, ...saying, completed]),
    callsTools: () =>
      sse([created, ...functionCall(0, { a: 1, b: 2 }), ...functionCall(1, { a: 3, b: 4 }), completed]),
    failsRetryably: busy,
    hangs: () => sse([created, ...saying], true),
  },
  gemini: {
    answers: () => sse([gemini([{ text: "Hello world" }], { finishReason: "STOP" })]),
    callsTools: () =>
      sse([
        gemini(
          [
            { functionCall: { name: "add", args: { a: 1, b: 2 } } },
            { functionCall: { name: "add", args: { a: 3, b: 4 } } },
          ],
          { finishReason: "STOP" },
        ),
      ]),
    failsRetryably: busy,
    hangs: () => sse([gemini([{ text: "and" }])], true),
  },
};

const of = (wire: ModelRecording["wire"], ...names: readonly string[]) =>
  modelRecordings.filter(
    (recording) => recording.wire === wire && (names.length === 0 || names.includes(recording.provider)),
  );

/** The recordings that each package is made for. */
const READ: { readonly [provider: string]: readonly ModelRecording[] } = {
  anthropic: of("anthropic"),
  "anthropic, specification v2": of("anthropic"),
  "anthropic, specification v3": of("anthropic"),
  google: of("gemini"),
  "openai, responses": of("responses"),
  "openai, chat": of("chat", "OpenAI"),
  "openai-compatible": of("chat", "OpenAI", "Groq", "Ollama", "Cerebras"),
  mistral: of("chat", "Mistral"),
  alibaba: of("chat", "Alibaba"),
};

/** The packages take milliseconds for a stream: every byte is tried with SOAK=1. */
const cutEvery = process.env["SOAK"] === "1" ? 1 : 11;

for (const [name, recordings] of Object.entries(READ)) {
  const over = (fetch: typeof globalThis.fetch) => aiSdkModel(providers[name]!({ fetch }));
  const behaviours = BEHAVIOURS[recordings[0]!.wire];
  modelContract(
    `aiSdkModel over ${name}`,
    (behaviour) => ({ model: over(async () => behaviours[behaviour]()) }),
    { describe, test, recordings, over, cutEvery },
  );
}
