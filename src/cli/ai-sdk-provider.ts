import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AiSdkLanguageModel } from "../core/model/ai-sdk/sdk-types.ts";
import { configError } from "../core/base/error.ts";
import type { ChatModel } from "../core/model/port.ts";
import type { Environment } from "./terminal.ts";

type Provider = { readonly package: string; readonly factory: string; readonly key: string };

/** The providers of the AI SDK that `--model PROVIDER/NAME` knows. */
const PROVIDERS: { readonly [name: string]: Provider } = {
  alibaba: { package: "@ai-sdk/alibaba", factory: "createAlibaba", key: "ALIBABA_API_KEY" },
  anthropic: { package: "@ai-sdk/anthropic", factory: "createAnthropic", key: "ANTHROPIC_API_KEY" },
  cohere: { package: "@ai-sdk/cohere", factory: "createCohere", key: "COHERE_API_KEY" },
  deepseek: { package: "@ai-sdk/deepseek", factory: "createDeepSeek", key: "DEEPSEEK_API_KEY" },
  google: {
    package: "@ai-sdk/google",
    factory: "createGoogleGenerativeAI",
    key: "GOOGLE_GENERATIVE_AI_API_KEY",
  },
  groq: { package: "@ai-sdk/groq", factory: "createGroq", key: "GROQ_API_KEY" },
  mistral: { package: "@ai-sdk/mistral", factory: "createMistral", key: "MISTRAL_API_KEY" },
  openai: { package: "@ai-sdk/openai", factory: "createOpenAI", key: "OPENAI_API_KEY" },
  xai: { package: "@ai-sdk/xai", factory: "createXai", key: "XAI_API_KEY" },
};

/**
 * Returns the model `PROVIDER/NAME` of an AI SDK provider, whose package is looked up from `folder`. It is undefined if a server is named
 * too, or the name has no slash. Rejects with `config/invalid` that names the package and the command that installs it, the variable of the
 * key, or the providers that are known.
 */
export async function aiSdkProviderModel(
  flags: { readonly model?: string | undefined; readonly baseUrl?: string | undefined },
  env: Environment,
  folder: string = process.cwd(),
): Promise<ChatModel | undefined> {
  const [name = "", ...rest] = flags.model?.split("/") ?? [];
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  if (rest.length === 0 || flags.baseUrl || env["OPENAI_BASE_URL"]) return undefined;
  if (!provider) {
    if (!env["OPENAI_API_KEY"]?.trim() && env["DASHSCOPE_API_KEY"]?.trim()) return undefined; // DashScope's names may have a slash
    throw configError(
      `The provider "${name}" of the model "${flags.model}" is not known: expected one of ${Object.keys(PROVIDERS).join(", ")}, whose package is @ai-sdk/NAME (npm install @ai-sdk/NAME), or --base-url with the server of the model.`,
    );
  }
  const path = pathOf(provider.package, folder);
  if (path === undefined) {
    const { package: needed } = provider;
    throw configError(
      `The model "${flags.model}" needs the package ${needed}, which is not installed here: npm install ${needed}`,
    );
  }
  const apiKey = env[provider.key]?.trim();
  if (!apiKey) throw configError(`The model "${flags.model}" needs a key: set ${provider.key}.`);
  const { aiSdkModel } = await import("../core/model/ai-sdk/ai-sdk-model.ts");
  const loaded = (await import(pathToFileURL(path).href)) as {
    readonly [name: string]: (settings: object) => (model: string) => AiSdkLanguageModel;
  };
  return aiSdkModel(loaded[provider.factory]!({ apiKey })(rest.join("/")));
}

function pathOf(name: string, folder: string): string | undefined {
  try {
    return createRequire(join(folder, "package.json")).resolve(name);
  } catch {
    return undefined;
  }
}
