import { chooseAiSdk, PROVIDER_NAMES, type AiSdkChoice } from "./ai-sdk-model.ts";
import { UsageError } from "./usage-error.ts";

/** Which model answers. */
export type ModelChoice =
  | { readonly kind: "standIn" }
  | AiSdkChoice
  | { readonly kind: "remote"; readonly model: string; readonly baseURL: string; readonly apiKey?: string };

type Environment = Readonly<Record<string, string | undefined>>;

const OPENAI = { baseURL: "https://api.openai.com/v1", model: "gpt-4.1-mini" };
const DASHSCOPE = { baseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", model: "qwen-plus" };

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}

/** The model that the environment and `--model` name, or the stand-in. Throws UsageError if a server is named but no
 *  model of it. */
export function chooseModel(
  env: Environment,
  options: { readonly offline: boolean; readonly model?: string },
): ModelChoice {
  const { OPENAI_API_KEY: openaiKey, DASHSCOPE_API_KEY: dashscopeKey, OPENAI_BASE_URL: baseURL } = env;
  if (options.offline) return { kind: "standIn" };
  const model = [options.model, env["AGENTCHART_MODEL"], env["OPENAI_MODEL"]].find(isSet);
  const aiSdk = isSet(baseURL) || !isSet(model) ? undefined : chooseAiSdk(env, model);
  if (aiSdk) return aiSdk;
  if (isSet(openaiKey) || isSet(baseURL)) {
    const url = isSet(baseURL) ? baseURL : OPENAI.baseURL;
    if (!URL.canParse(url))
      throw new UsageError(`OPENAI_BASE_URL is not a URL: "${url}". An example: http://localhost:11434/v1`);
    const isOpenAI = new URL(url).host === new URL(OPENAI.baseURL).host;
    if (!isSet(model) && !isOpenAI) {
      throw new UsageError(
        `OPENAI_BASE_URL names the server ${new URL(url).host} but no model: add --model NAME or set AGENTCHART_MODEL.`,
      );
    }
    return {
      kind: "remote",
      model: model ?? OPENAI.model,
      baseURL: url,
      ...(isSet(openaiKey) && { apiKey: openaiKey }),
    };
  }
  if (isSet(dashscopeKey))
    return {
      kind: "remote",
      model: model ?? DASHSCOPE.model,
      baseURL: DASHSCOPE.baseURL,
      apiKey: dashscopeKey,
    };
  if (isSet(options.model)) {
    throw new UsageError(
      `--model ${options.model} needs a server: set OPENAI_API_KEY, DASHSCOPE_API_KEY or OPENAI_BASE_URL, or name a provider (${PROVIDER_NAMES.join(", ")}) as in anthropic/NAME.`,
    );
  }
  return { kind: "standIn" };
}

/** The first line of the output: who answers, and where the data go. */
export function announce(choice: ModelChoice): string {
  if (choice.kind === "remote") {
    return `Model: ${choice.model} at ${new URL(choice.baseURL).host}. The schema and query results are sent there (--offline avoids it).`;
  }
  if (choice.kind === "aiSdk")
    return `Model: ${choice.model} of ${choice.provider}. The schema and query results are sent there (--offline avoids it).`;
  return "Model: a built-in stand-in, a rule-based planner and not a language model. Nothing leaves this machine.";
}
