import { eventStream, expected, type ModelRecording } from "./model-recording.ts";

const { text, thinking, call } = expected;

type Fields = { readonly [name: string]: unknown };

/** A chunk with one choice. */
const chunk = (delta: Fields, more: Fields = {}, choice: Fields = {}): Fields => ({
  id: "r-1",
  model: "m",
  choices: [{ index: 0, delta, finish_reason: null, ...choice }],
  ...more,
});
const ended = (finish_reason: string, more: Fields = {}, choice: Fields = {}): Fields =>
  chunk({}, more, { finish_reason, ...choice });
const usage = (prompt_tokens: number, completion_tokens: number, more: Fields = {}): Fields => ({
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, ...more },
});
const fragment = (fields: Fields, fn: Fields): Fields => ({
  tool_calls: [{ index: 0, type: "function", ...fields, function: fn }],
});

function recording(
  provider: string,
  chunks: readonly Fields[],
  answer: Pick<ModelRecording, "content" | "usage"> & Partial<Pick<ModelRecording, "finishReason">>,
): ModelRecording {
  const body = `${eventStream(chunks)}data: [DONE]\n\n`;
  return { provider, wire: "chat", body, finishReason: "stop", ...answer };
}

/** Streams of Chat Completions, in the shapes in which providers send them. */
export const chatRecordings: readonly ModelRecording[] = [
  recording(
    "OpenAI",
    [
      chunk({ role: "assistant", content: "", refusal: null }, { service_tier: "default" }),
      chunk({ content: "Grüße aus " }),
      chunk({ content: "Tromsø 👋" }),
      ended("stop"),
      {
        id: "r-1",
        model: "m",
        choices: [],
        ...usage(11, 4, {
          prompt_tokens_details: { cached_tokens: 8 },
          completion_tokens_details: { reasoning_tokens: 0 },
        }),
      },
    ],
    {
      content: [text("Grüße aus Tromsø 👋")],
      usage: { inputTokens: 11, outputTokens: 4, cachedInputTokens: 8, reasoningTokens: 0 },
    },
  ),
  recording(
    "DeepSeek",
    [
      chunk({ role: "assistant", content: null, reasoning_content: "" }),
      chunk({ content: null, reasoning_content: "A town is " }),
      chunk({ content: null, reasoning_content: "meant." }),
      chunk(fragment({ id: "call_00" }, { name: "harbour", arguments: "" })),
      chunk(fragment({}, { arguments: '{"town":' })),
      chunk(fragment({}, { arguments: '"Oslo"}' })),
      ended(
        "tool_calls",
        usage(200, 40, {
          completion_tokens_details: { reasoning_tokens: 20 },
          prompt_cache_hit_tokens: 128,
          prompt_cache_miss_tokens: 72,
        }),
      ),
    ],
    {
      content: [thinking("A town is meant."), call("harbour", { town: "Oslo" })],
      finishReason: "tool_calls",
      usage: { inputTokens: 200, outputTokens: 40, cachedInputTokens: 128, reasoningTokens: 20 },
    },
  ),
  recording(
    "Mistral",
    [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Two and " }] }] }),
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "two." }] }] }),
      chunk({ content: [{ type: "text", text: "It is " }] }),
      chunk({ content: "4" }),
      ended("stop", usage(9, 7)),
    ],
    { content: [thinking("Two and two."), text("It is 4")], usage: { inputTokens: 9, outputTokens: 7 } },
  ),
  recording(
    "Groq",
    [
      chunk({ role: "assistant", content: null }, { x_groq: { id: "req_1" } }),
      chunk({ reasoning: "Ask the " }),
      chunk({ reasoning: "port." }),
      chunk(fragment({ id: "tk1" }, { name: "harbour", arguments: '{"town":"Bergen"}' })),
      ended("tool_calls", { x_groq: { id: "req_1", ...usage(30, 12) }, ...usage(30, 12) }),
    ],
    {
      content: [thinking("Ask the port."), call("harbour", { town: "Bergen" })],
      finishReason: "tool_calls",
      usage: { inputTokens: 30, outputTokens: 12 },
    },
  ),
  recording(
    "xAI",
    [
      chunk({ role: "assistant", reasoning_content: "First" }),
      chunk({ reasoning_content: ", hello." }),
      chunk({ content: "Hello" }),
      ended("stop"),
      {
        id: "r-1",
        model: "m",
        choices: [],
        usage: {
          prompt_tokens: 12,
          completion_tokens: 1,
          total_tokens: 23,
          prompt_tokens_details: { cached_tokens: 11 },
          completion_tokens_details: { reasoning_tokens: 10 },
        },
      },
    ],
    {
      content: [thinking("First, hello."), text("Hello")],
      usage: { inputTokens: 12, outputTokens: 11, cachedInputTokens: 11, reasoningTokens: 10 },
    },
  ),
  recording(
    "Moonshot",
    [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "There are " }),
      chunk({ content: "three." }),
      ended("stop", {}, usage(20, 30, { cached_tokens: 10 })),
    ],
    {
      content: [text("There are three.")],
      usage: { inputTokens: 20, outputTokens: 30, cachedInputTokens: 10 },
    },
  ),
  recording(
    "Alibaba",
    [
      chunk({ role: "assistant", content: null, reasoning_content: "" }),
      chunk({ content: null, reasoning_content: "查一下。" }),
      chunk({ ...fragment({ id: "call_a" }, { name: "harbour", arguments: "" }), content: null }),
      chunk({ ...fragment({ id: "" }, { arguments: '{"town": "上海' }), content: null }),
      chunk({ ...fragment({ id: "" }, { arguments: '"}' }), content: null }),
      chunk(fragment({ id: "" }, { arguments: "" })),
      ended("tool_calls"),
      {
        id: "r-1",
        model: "m",
        choices: [],
        ...usage(80, 9, { prompt_tokens_details: { cached_tokens: 0 } }),
      },
    ],
    {
      content: [thinking("查一下。"), call("harbour", { town: "上海" })],
      finishReason: "tool_calls",
      usage: { inputTokens: 80, outputTokens: 9, cachedInputTokens: 0 },
    },
  ),
  recording(
    "Cerebras",
    [
      chunk({ role: "assistant" }),
      chunk({ reasoning: "Short." }),
      chunk({ content: "Fast" }),
      ended("length", { ...usage(14, 5), time_info: { total_time: 0.01 } }),
    ],
    {
      content: [thinking("Short."), text("Fast")],
      finishReason: "length",
      usage: { inputTokens: 14, outputTokens: 5 },
    },
  ),
  recording(
    "Perplexity",
    [
      chunk(
        { role: "assistant", content: "Tides" },
        { citations: ["https://x.test"], object: "chat.completion.chunk" },
        { message: { role: "assistant", content: "Tides" } },
      ),
      chunk(
        { content: " rise[1]" },
        {
          citations: ["https://x.test"],
          ...usage(6, 3, { search_context_size: "low", cost: { total_cost: 0.006 } }),
        },
        { finish_reason: "stop", message: { role: "assistant", content: "Tides rise[1]" } },
      ),
    ],
    { content: [text("Tides rise[1]")], usage: { inputTokens: 6, outputTokens: 3 } },
  ),
  recording(
    "Ollama",
    [
      chunk({ role: "assistant", content: "", reasoning: "Call it." }, { system_fingerprint: "fp_ollama" }),
      chunk({
        role: "assistant",
        content: "",
        ...fragment({ id: "call_x" }, { name: "harbour", arguments: '{"town":"Rio"}' }),
      }),
      ended("tool_calls"),
      { id: "r-1", model: "m", choices: [], ...usage(25, 8) },
    ],
    {
      content: [thinking("Call it."), call("harbour", { town: "Rio" })],
      finishReason: "tool_calls",
      usage: { inputTokens: 25, outputTokens: 8 },
    },
  ),
];
