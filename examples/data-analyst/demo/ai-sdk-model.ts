import type { ChatModel } from "agentchart";
import { aiSdkModel, type AiSdkLanguageModel } from "agentchart/ai-sdk";
import { UsageError } from "./usage-error.ts";

/** A model of an AI SDK provider: the package of the provider, its key, and what the provider calls the model. */
export type AiSdkChoice = {
  readonly kind: "aiSdk";
  readonly provider: string;
  readonly model: string;
  readonly apiKey: string;
};

type Provider = { readonly package: string; readonly factory: string; readonly key: string };

const PROVIDERS: { readonly [name: string]: Provider } = {
  alibaba: { package: "@ai-sdk/alibaba", factory: "createAlibaba", key: "ALIBABA_API_KEY" },
  anthropic: { package: "@ai-sdk/anthropic", factory: "createAnthropic", key: "ANTHROPIC_API_KEY" },
  google: {
    package: "@ai-sdk/google",
    factory: "createGoogleGenerativeAI",
    key: "GOOGLE_GENERATIVE_AI_API_KEY",
  },
  mistral: { package: "@ai-sdk/mistral", factory: "createMistral", key: "MISTRAL_API_KEY" },
  openai: { package: "@ai-sdk/openai", factory: "createOpenAI", key: "OPENAI_API_KEY" },
};

/** The providers that `--model PROVIDER/NAME` knows. */
export const PROVIDER_NAMES = Object.keys(PROVIDERS);

/** The choice for `PROVIDER/NAME`; undefined for another name. Throws UsageError that names the key if it is missing. */
export function chooseAiSdk(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): AiSdkChoice | undefined {
  const [provider = "", ...rest] = name.split("/");
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (!known || rest.length === 0) return undefined;
  const apiKey = env[known.key]?.trim();
  if (!apiKey) throw new UsageError(`--model ${name} needs a key: set ${known.key}.`);
  return { kind: "aiSdk", provider, model: rest.join("/"), apiKey };
}

/** Loads the package of the provider. Rejects with a UsageError that says how to install it. */
export async function openAiSdk({ provider, model, apiKey }: AiSdkChoice): Promise<ChatModel> {
  const { package: name, factory } = PROVIDERS[provider]!;
  const loaded = (await import(name).catch(() => {
    throw new UsageError(`${name} is not installed: npm install ${name}`);
  })) as { readonly [name: string]: (settings: object) => (model: string) => AiSdkLanguageModel };
  return aiSdkModel(loaded[factory]!({ apiKey })(model));
}
