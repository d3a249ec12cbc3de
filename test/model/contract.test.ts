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
modelContract(
  "openaiModel over loopback HTTP",
  async (behaviour) => {
    const countUsage = () => ({ prompt_tokens: 7, completion_tokens: 2 });
    const server = await chatCompletionsServer(responders[behaviour], { countUsage });
    return {
      model: openaiModel({ model: "m", apiKey: "k", baseURL: server.baseURL }),
      dispose: () => server.close(),
    };
  },
  { describe, test },
);
