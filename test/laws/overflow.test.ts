// Conversations go on in windows that are small or misreported.
import { afterEach, expect, test } from "vitest";
import { createAgent, type Agent, type AgentConfig, type AgentEvent } from "agentchart";
import { openaiModel } from "agentchart/openai";
import {
  chatCompletionsServer,
  type ChatCompletionsAnswer,
  type ChatCompletionsFailure,
  type ChatCompletionsServer,
} from "agentchart/testing";
import { historyProblem } from "../support/history.ts";
import {
  answerTo,
  askForSteps,
  CODES,
  look,
  sayInTurn,
  SYSTEM,
  tokensOf,
  TOKENIZERS,
  type Window,
} from "../support/long-talk.ts";

const servers: ChatCompletionsServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const inJson = (status: number, body: object): ChatCompletionsFailure => ({
  status,
  body: JSON.stringify(body),
});
const openai = (message: string, more: object = {}) =>
  inJson(400, { error: { message, type: "invalid_request_error", param: null, code: null, ...more } });

/** How servers refuse a prompt that is too long. */
const REFUSALS: { readonly [server: string]: ChatCompletionsFailure | ChatCompletionsAnswer } = {
  OpenAI: openai("Your input exceeds the context window of this model.", { code: "context_length_exceeded" }),
  Anthropic: inJson(400, {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 213462 tokens > 200000 maximum" },
  }),
  "Anthropic, by bytes": inJson(413, {
    type: "error",
    error: { type: "request_too_large", message: "Request exceeds the maximum size" },
  }),
  Gemini: {
    status: 400,
    body: '[{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}]',
  },
  xAI: inJson(400, {
    code: "Client specified an invalid argument",
    error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  }),
  Groq: openai("Please reduce the length of the messages or completion.", { param: "messages" }),
  OpenRouter: openai(
    "This endpoint's maximum context length is 32768 tokens. However, you requested 40000.",
    {
      code: 400,
    },
  ),
  "GitHub Copilot": openai("prompt token count of 70000 exceeds the limit of 64000"),
  Moonshot: openai("Invalid request: Your request exceeded model token limit: 8192"),
  MiniMax: inJson(200, {
    base_resp: { status_code: 2013, status_msg: "invalid params, context window exceeds limit" },
  }),
  Mistral: inJson(400, {
    object: "error",
    message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    type: "invalid_request_prompt",
  }),
  vLLM: inJson(400, {
    object: "error",
    message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
    type: "BadRequestError",
    code: 400,
  }),
  Bedrock: inJson(400, { message: "Input is too long for requested model." }),
  Cohere: inJson(400, { message: "too many tokens: the total number of tokens cannot exceed 4081" }),
  "Z.ai": openai("Prompt exceeds max length", { code: "1261" }),
  DashScope: openai("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"),
  "llama.cpp": openai("the request exceeds the available context size, try increasing it", {
    type: "exceed_context_size_error",
    code: 400,
  }),
  "LM Studio": inJson(400, {
    error: "The number of tokens to keep from the initial prompt is greater than the context length.",
  }),
  Ollama: openai("prompt too long; exceeded max context length by 10 tokens", { type: "api_error" }),
  "Text Generation Inference": inJson(422, {
    error: "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
    error_type: "validation",
  }),
  "Cerebras, 400 and nothing": { status: 400, body: "" },
  "Cerebras, 413 and nothing": { status: 413, body: "" },
  "a proxy, with a page": { status: 413, body: "<html><h1>413 Request Entity Too Large</h1></html>" },
  "in a stream": inJson(200, {
    error: { message: "context_length_exceeded", code: "context_length_exceeded" },
  }),
};

type Talk = { readonly agent: Agent; readonly refused: () => number; readonly events: readonly AgentEvent[] };

/** Returns an agent whose model reports no usage, and refuses what is above its window in one of these ways. */
async function talkTo(
  refusal: ChatCompletionsFailure | ChatCompletionsAnswer,
  window: Window,
  config: Partial<AgentConfig> = {},
): Promise<Talk> {
  let refused = 0;
  const endless: Window = { ...window, tokens: Number.POSITIVE_INFINITY };
  const server = await chatCompletionsServer(
    (request) => {
      expect(request.stream_options).toBeNull();
      if (tokensOf(request, window) <= window.tokens) return answerTo(request, endless);
      refused++;
      return refusal;
    },
    { record: false },
  );
  servers.push(server);
  const agent = createAgent({
    name: "keeper",
    sysPrompt: SYSTEM,
    model: openaiModel({ model: "loopback", baseURL: server.baseURL }),
    generateOptions: { extraBody: { stream_options: null } },
    tools: [look],
    maxIters: 1_000,
    ...config,
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  return { agent, refused: () => refused, events };
}

/** Says so much in so many turns, and returns what the model says at the end. */
async function converse(agent: Agent, turns: number): Promise<string> {
  for (let turn = 1; turn < turns; turn++) {
    const { text, reason } = await agent.call(sayInTurn(turn, turns));
    expect([turn, reason, text === ""]).toEqual([turn, "MODEL_STOP", false]);
  }
  return (await agent.call(sayInTurn(turns, turns))).text;
}

async function expectWhole({ agent, events, refused }: Talk, text: string): Promise<void> {
  expect(CODES.filter((code) => !text.includes(code))).toEqual([]);
  expect(refused()).toBeGreaterThan(0);
  const done = events.filter((event) => event.type === "compaction.end");
  expect(done.filter(({ did, error }) => did === "nothing" || error)).toEqual([]);
  expect(historyProblem(await agent.messages())).toBeUndefined();
  await agent.close();
}

const SMALL: Window = { tokens: 3_000, charactersPerToken: TOKENIZERS.finer };

test.each(Object.entries(REFUSALS))(
  "a conversation goes on when a server without usage refuses its prompts as %s does",
  async (_, refusal) => {
    const talk = await talkTo(refusal, SMALL);
    await expectWhole(talk, await converse(talk.agent, 60));
  },
);

test("a conversation goes on when a model without usage answers nothing because its window is full", async () => {
  const nothing: ChatCompletionsAnswer = { content: "", finish_reason: "length" };
  const talk = await talkTo(
    nothing,
    { ...SMALL, charactersPerToken: TOKENIZERS.coarser },
    {
      compaction: { contextTokens: SMALL.tokens, reserveTokens: 1 },
    },
  );
  await expectWhole(talk, await converse(talk.agent, 60));
});

test.each([
  ["unknown, and its tokens are shorter than estimated", "finer", {}],
  ["unknown, and its tokens are longer than estimated", "coarser", {}],
  ["known, and its tokens are shorter than estimated", "finer", { contextTokens: 8_000 }],
  ["half of what it is believed to be", "finer", { contextTokens: 16_000 }],
] as const)(
  "500 turns, and one turn of 300 rounds, go on if the window is %s",
  async (_, tokenizer, compaction) => {
    const window: Window = { tokens: 8_000, charactersPerToken: TOKENIZERS[tokenizer] };
    const turns = await talkTo(REFUSALS["Mistral"]!, window, { compaction });
    await expectWhole(turns, await converse(turns.agent, 500));
    const rounds = await talkTo(REFUSALS["Gemini"]!, window, { compaction });
    const { text, reason } = await rounds.agent.call(askForSteps(300));
    expect(reason).toBe("MODEL_STOP");
    await expectWhole(rounds, text);
  },
);
