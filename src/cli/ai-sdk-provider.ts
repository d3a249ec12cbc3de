import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AiSdkLanguageModel } from "../core/model/ai-sdk/sdk-types.ts";
import { configError } from "../core/base/error.ts";
import type { ChatModel } from "../core/model/port.ts";
import type { Environment } from "./terminal.ts";

/** The providers of the AI SDK that `--model PROVIDER/NAME` knows, with what their packages `@ai-sdk/PROVIDER` export. */
const FACTORIES: { readonly [provider: string]: string } = {
  alibaba: "createAlibaba",
  anthropic: "createAnthropic",
  cohere: "createCohere",
  deepseek: "createDeepSeek",
  google: "createGoogleGenerativeAI",
  groq: "createGroq",
  mistral: "createMistral",
  openai: "createOpenAI",
  xai: "createXai",
};

/** The variable with the key of a provider. */
const keyName = (provider: string): string =>
  provider === "google" ? "GOOGLE_GENERATIVE_AI_API_KEY" : `${provider.toUpperCase()}_API_KEY`;

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
  const factory = Object.hasOwn(FACTORIES, name) ? FACTORIES[name] : undefined;
  if (rest.length === 0 || flags.baseUrl || env["OPENAI_BASE_URL"]) return undefined;
  if (factory === undefined) {
    if (!env["OPENAI_API_KEY"]?.trim() && env["DASHSCOPE_API_KEY"]?.trim()) return undefined; // DashScope's names may have a slash
    throw configError(
      `The provider "${name}" of the model "${flags.model}" is not known: expected one of ${Object.keys(FACTORIES).join(", ")}, whose package is @ai-sdk/NAME (npm install @ai-sdk/NAME), or --base-url with the server of the model.`,
    );
  }
  const needed = `@ai-sdk/${name}`;
  const path = pathOf(needed, folder);
  if (path === undefined)
    throw configError(
      `The model "${flags.model}" needs the package ${needed}, which is not installed here: npm install ${needed}`,
    );
  const apiKey = env[keyName(name)]?.trim();
  if (!apiKey) throw configError(`The model "${flags.model}" needs a key: set ${keyName(name)}.`);
  const { aiSdkModel } = await import("../core/model/ai-sdk/ai-sdk-model.ts");
  const loaded = (await import(pathToFileURL(path).href)) as {
    readonly [name: string]: (settings: object) => (model: string) => AiSdkLanguageModel;
  };
  return aiSdkModel(loaded[factory]!({ apiKey })(rest.join("/")));
}

function pathOf(name: string, folder: string): string | undefined {
  try {
    return createRequire(join(folder, "package.json")).resolve(name);
  } catch {
    return undefined;
  }
}
