import { UsageError } from "./errors.ts";

/** Which model answers. */
export type ModelChoice =
  | { readonly kind: "standIn" }
  | { readonly kind: "remote"; readonly model: string; readonly baseURL: string; readonly apiKey?: string };

type Environment = Readonly<Record<string, string | undefined>>;

const OPENAI = { baseURL: "https://api.openai.com/v1", model: "gpt-4.1-mini" };
const DASHSCOPE = { baseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", model: "qwen-plus" };

/** Says how a model is named; a part of the help and of the answer to a question that needs one. */
export const HOW_TO_NAME_A_MODEL =
  "set OPENAI_API_KEY, or DASHSCOPE_API_KEY (qwen-plus), or OPENAI_BASE_URL with --model NAME (Ollama and others)";

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
  if (isSet(openaiKey) || isSet(baseURL)) {
    const url = isSet(baseURL) ? baseURL : OPENAI.baseURL;
    if (!URL.canParse(url))
      throw new UsageError(`OPENAI_BASE_URL is not a URL: "${url}". An example: http://localhost:11434/v1`);
    const { host } = new URL(url);
    if (!isSet(model) && host !== new URL(OPENAI.baseURL).host)
      throw new UsageError(
        `OPENAI_BASE_URL names the server ${host} but no model: add --model NAME or set AGENTCHART_MODEL.`,
      );
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
  if (isSet(options.model))
    throw new UsageError(`--model ${options.model} needs a server: ${HOW_TO_NAME_A_MODEL}.`);
  return { kind: "standIn" };
}

/** The first line of the output: who answers, and where the data go. */
export function announce(choice: ModelChoice): string {
  if (choice.kind === "remote")
    return `Model: ${choice.model} at ${new URL(choice.baseURL).host}. The schema and query results are sent there (--offline avoids it).`;
  return "Model: none. A built-in stand-in profiles the tables and answers a closed list of questions (--help). Nothing leaves this machine.";
}
