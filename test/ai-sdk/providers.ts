import { createRequire } from "node:module";
import type { AiSdkLanguageModel } from "agentchart/ai-sdk";

type Fetch = typeof globalThis.fetch;
type Settings = {
  readonly apiKey: string;
  readonly baseURL?: string;
  readonly name?: string;
  readonly fetch?: Fetch;
};
type Provider = ((model: string) => AiSdkLanguageModel) & {
  readonly responses?: (model: string) => AiSdkLanguageModel;
  readonly chat?: (model: string) => AiSdkLanguageModel;
};

const require = createRequire(import.meta.url);

/** Makes language models with the packages that users install, which are typed here by what is needed of them. */
export const providers: { readonly [name: string]: (settings: Partial<Settings>) => AiSdkLanguageModel } = {
  anthropic: (settings) => created(require("@ai-sdk/anthropic"), "createAnthropic", settings)("m"),
  "anthropic, specification v2": (settings) =>
    created(require("ai-sdk-anthropic-v2"), "createAnthropic", settings)("m"),
  "anthropic, specification v3": (settings) =>
    created(require("ai-sdk-anthropic-v3"), "createAnthropic", settings)("m"),
  google: (settings) => created(require("@ai-sdk/google"), "createGoogleGenerativeAI", settings)("m"),
  "openai, responses": (settings) =>
    created(require("@ai-sdk/openai"), "createOpenAI", settings).responses!("gpt-5"),
  "openai, chat": (settings) => created(require("@ai-sdk/openai"), "createOpenAI", settings).chat!("m"),
  "openai-compatible": (settings) =>
    created(require("@ai-sdk/openai-compatible"), "createOpenAICompatible", {
      name: "compat",
      baseURL: "https://models.test/v1",
      includeUsage: true,
      ...settings,
    })("m"),
  mistral: (settings) => created(require("@ai-sdk/mistral"), "createMistral", settings)("magistral-m"),
  alibaba: (settings) => created(require("@ai-sdk/alibaba"), "createAlibaba", settings)("qwen-plus"),
};

function created(module: unknown, factory: string, settings: object): Provider {
  const make = (module as { readonly [name: string]: (settings: object) => Provider })[factory]!;
  return make({ apiKey: "key-of-mine", ...settings });
}
