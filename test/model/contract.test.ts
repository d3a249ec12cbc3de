// The contract of models, over the Chat Completions and Responses APIs.
import { describe, test } from "vitest";
import { AgentError } from "agentchart";
import { openaiModel } from "agentchart/openai";
import {
  chatCompletionsServer,
  modelContract,
  scriptedModel,
  type ChatCompletionsResponder,
  type ModelBehaviour,
  type ScriptedTurn,
} from "agentchart/testing";
import { modelRecordings } from "../fixtures/recordings/model-recordings.ts";

const add = (a: number, b: number) => ({ name: "add", input: { a, b } });
const turns: { readonly [B in ModelBehaviour]: ScriptedTurn } = {
  answers: { text: "Hello world", usage: { inputTokens: 7, outputTokens: 2 } },
  callsTools: { calls: [add(1, 2), add(3, 4)] },
  failsRetryably: { error: new AgentError("model/unavailable", "503", { isRetryable: true }) },
  hangs: async function* (_, signal) {
    yield { type: "text.delta", delta: "and" };
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  },
};
modelContract(
  "scriptedModel",
  (behaviour) => ({ model: scriptedModel([turns[behaviour], turns[behaviour]]) }),
  {
    describe,
    test,
  },
);

const call = (id: string, a: number, b: number) => ({
  id,
  type: "function" as const,
  function: { name: "add", arguments: JSON.stringify({ a, b }) },
});
const responders: { readonly [B in ModelBehaviour]: ChatCompletionsResponder } = {
  answers: () => ({ content: "Hello world" }),
  callsTools: () => ({ tool_calls: [call("c1", 1, 2), call("c2", 3, 4)] }),
  failsRetryably: () => ({ status: 503 }),
  hangs: () => ({ content: "and then nothing", fault: { kind: "hang", afterChunks: 3 } }),
};
const TRANSPORTS = ["fetch", "openai"] as const;
for (const transport of TRANSPORTS)
  modelContract(
    `openaiModel over loopback HTTP by ${transport}`,
    async (behaviour) => {
      const countUsage = () => ({ prompt_tokens: 7, completion_tokens: 2 });
      const server = await chatCompletionsServer(responders[behaviour], { countUsage });
      return {
        model: openaiModel({ model: "m", apiKey: "k", baseURL: server.baseURL, transport }),
        dispose: () => server.close(),
      };
    },
    {
      describe,
      test,
      recordings: modelRecordings.filter(({ wire }) => wire === "chat"),
      over: (fetch) => openaiModel({ model: "m", baseURL: "https://models.test/v1", fetch, transport }),
    },
  );

const item = { type: "message", id: "msg_1", role: "assistant" };
const whole = {
  ...item,
  status: "completed",
  content: [{ type: "output_text", text: "Hello world", annotations: [] }],
};
const answered = (...output: readonly object[]) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  output,
  usage: { input_tokens: 7, output_tokens: 2 },
});
const functionCall = (n: number, a: number, b: number) => ({
  type: "function_call",
  id: `fc_${n}`,
  call_id: `c${n}`,
  name: "add",
  arguments: JSON.stringify({ a, b }),
});
const responses: { readonly [B in ModelBehaviour]: () => Response } = {
  answers: () => Response.json(answered(whole)),
  callsTools: () => Response.json(answered(functionCall(1, 1, 2), functionCall(2, 3, 4))),
  failsRetryably: () => Response.json({ error: { message: "busy", type: "server_error" } }, { status: 503 }),
  hangs: () => {
    const delta = { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "and" };
    const body = new ReadableStream({
      start: (controller) =>
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(delta)}\n\n`)),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
};
for (const transport of TRANSPORTS)
  modelContract(
    `openaiModel over Responses by ${transport}`,
    (behaviour) => ({
      model: openaiModel({
        model: "m",
        api: "responses",
        apiKey: "k",
        fetch: async () => responses[behaviour](),
        transport,
      }),
    }),
    {
      describe,
      test,
      recordings: modelRecordings.filter(({ wire }) => wire === "responses"),
      over: (fetch) => openaiModel({ model: "m", api: "responses", apiKey: "k", fetch, transport }),
    },
  );
