import { configError } from "../core/base/error.ts";
import type { Environment } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** The name of a model, the URL of its server and the key, unless the server needs none. */
export type ChosenModel = { readonly model: string; readonly baseURL: string; readonly apiKey?: string };

const OPENAI = "https://api.openai.com/v1";
const DASHSCOPE = "https://dashscope.aliyuncs.com/compatible-mode/v1";

/**
 * Chooses the model from the flags and the environment. DashScope's key is sent to DashScope only. Throws `config/invalid`
 * if there is neither a key nor a server, and a {@link UsageError} if the server has no default model.
 */
export function chooseModel(
  flags: { readonly model?: string | undefined; readonly baseUrl?: string | undefined },
  env: Environment,
): ChosenModel {
  const openaiKey = env["OPENAI_API_KEY"]?.trim();
  const dashscopeKey = env["DASHSCOPE_API_KEY"]?.trim();
  const baseURL =
    flags.baseUrl || env["OPENAI_BASE_URL"] || (!openaiKey && dashscopeKey ? DASHSCOPE : OPENAI);
  if (!/^https?:/.test(baseURL) || !URL.canParse(baseURL)) {
    throw new UsageError(
      `"${baseURL}" is not the URL of a server: it must look like http://localhost:11434/v1.`,
    );
  }
  const { host } = new URL(baseURL);
  const isDashscope = /(^|\.)dashscope[\w-]*\.aliyuncs\.com$/.test(host);
  const apiKey = (isDashscope && dashscopeKey) || openaiKey;
  const name =
    flags.model ?? (isDashscope ? "qwen-plus" : host === "api.openai.com" ? "gpt-4.1-mini" : undefined);

  if (!apiKey && host === "api.openai.com") {
    throw configError(
      "No model is configured: set OPENAI_API_KEY or DASHSCOPE_API_KEY, or name a server that needs no key with " +
        "--base-url (Ollama: http://localhost:11434/v1).",
    );
  }
  if (!apiKey && isDashscope) throw configError("DashScope needs a key: set DASHSCOPE_API_KEY.");
  if (!name) throw new UsageError(`The server ${host} has no default model: name one with --model.`);
  return { model: name, baseURL, ...(apiKey && { apiKey }) };
}
