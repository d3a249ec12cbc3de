import type { ChatModel, ModelRequest } from "agentchart";
import { aiSdkModel } from "agentchart/ai-sdk";
import { openaiModel } from "agentchart/openai";
import { emulateHost, type EmulatedHost } from "agentchart/testing";
import { providers } from "../ai-sdk/providers.ts";

type Fetch = typeof globalThis.fetch;
type Way = readonly [host: EmulatedHost, make: (fetch: Fetch) => ChatModel];

const chat =
  (options: Partial<Parameters<typeof openaiModel>[0]>) =>
  (fetch: Fetch): ChatModel =>
    openaiModel({ model: "m", apiKey: "none", fetch, ...options });
const at = (baseURL: string) => chat({ baseURL });
const sdk = (name: string) => (fetch: Fetch) => aiSdkModel(providers[name]!({ fetch }));
/** A package of one provider that speaks for another one, as its name says. */
const compatible = (name: string) => (fetch: Fetch) =>
  aiSdkModel(providers["openai-compatible"]!({ name, fetch }));

/** How each emulated host is reached: by its address, by the option `dialect`, and through packages of the AI SDK. */
export const WAYS: { readonly [way: string]: Way } = {
  OpenAI: ["openai", chat({})],
  "OpenAI's Responses": ["openai", chat({ api: "responses" })],
  Azure: ["azure", at("https://me.openai.azure.com/openai")],
  Mistral: ["mistral", at("https://api.mistral.ai/v1")],
  DeepSeek: ["deepseek", at("https://api.deepseek.com/v1")],
  Moonshot: ["moonshot", at("https://api.moonshot.ai/v1")],
  DashScope: ["dashscope", at("https://dashscope-intl.aliyuncs.com/compatible-mode/v1")],
  Groq: ["groq", at("https://api.groq.com/openai/v1")],
  xAI: ["xai", at("https://api.x.ai/v1")],
  "Anthropic's compatible endpoint": ["anthropic", at("https://api.anthropic.com/v1")],
  "Gemini's compatible endpoint": ["gemini", at("https://generativelanguage.googleapis.com/v1beta/openai")],
  OpenRouter: ["openrouter", at("https://openrouter.ai/api/v1")],
  "a model of Mistral at OpenRouter": [
    "mistral",
    chat({ baseURL: "https://openrouter.ai/api/v1", model: "mistralai/devstral" }),
  ],
  vLLM: ["vllm", chat({ baseURL: "http://127.0.0.1:8000/v1", dialect: "vllm" })],
  "a model of Mistral on vLLM": [
    "mistral",
    chat({ baseURL: "http://127.0.0.1:8000/v1", dialect: "mistral" }),
  ],
  Ollama: ["ollama", chat({ baseURL: "http://127.0.0.1:11434/v1", dialect: "ollama" })],
  "llama.cpp": ["llama.cpp", chat({ baseURL: "http://127.0.0.1:8080/v1", dialect: "llama.cpp" })],
  "LM Studio": ["lmstudio", chat({ baseURL: "http://127.0.0.1:1234/v1", dialect: "lmstudio" })],
  "a gateway to OpenAI": ["openai", at("https://gateway.example/v1")],
  "OpenAI by the AI SDK": ["openai", sdk("openai, chat")],
  "OpenAI's Responses by the AI SDK": ["openai", sdk("openai, responses")],
  "Mistral by the AI SDK": ["mistral", sdk("mistral")],
  "DashScope by the AI SDK": ["dashscope", sdk("alibaba")],
  "Anthropic by the AI SDK": ["anthropic", sdk("anthropic")],
  "Anthropic by the AI SDK, v2": ["anthropic", sdk("anthropic, specification v2")],
  "Anthropic by the AI SDK, v3": ["anthropic", sdk("anthropic, specification v3")],
  "Gemini by the AI SDK": ["gemini", sdk("google")],
  "Groq by the AI SDK": ["groq", compatible("groq")],
  "Moonshot by the AI SDK": ["moonshot", compatible("moonshotai")],
};

const { signal } = new AbortController();

async function ask(model: ChatModel, request: ModelRequest): Promise<string | undefined> {
  try {
    for await (const part of model.stream(request, { signal })) void part;
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** Sends requests to every host, and returns what was refused, and by whom. What any host fails with otherwise counts too. */
export async function refusalsOf(requests: readonly ModelRequest[]): Promise<readonly string[]> {
  const all: string[] = [];
  for (const [way, [host, make]] of Object.entries(WAYS)) {
    const emulation = emulateHost(host);
    const model = make(emulation.fetch);
    for (const request of requests) {
      const failure = await ask(model, request);
      if (failure !== undefined) all.push(`${way}: ${emulation.refusals.at(-1) ?? failure}`);
    }
    if (emulation.requests.length < requests.length) all.push(`${way}: was not asked`);
  }
  return all;
}
