import { AgentError } from "../base/error.ts";
import type { Environment } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** Which model is asked, where and with which key. */
export type ChosenModel = { readonly model: string; readonly baseURL: string; readonly apiKey?: string };

const OPENAI = "https://api.openai.com/v1";
const DASHSCOPE = "https://dashscope.aliyuncs.com/compatible-mode/v1";

/**
 * The model for what the command line and the environment say. A key goes to the server it is for: DashScope's to
 * DashScope only. Throws `config/invalid` if there is neither a key nor a server, and a {@link UsageError} if the server
 * is one whose models have names only its owner knows.
 */
export function chooseModel(
  flags: { readonly model?: string; readonly baseURL?: string },
  env: Environment,
): ChosenModel {
  const openaiKey = env["OPENAI_API_KEY"]?.trim();
  const dashscopeKey = env["DASHSCOPE_API_KEY"]?.trim();
  const baseURL =
    flags.baseURL || env["OPENAI_BASE_URL"] || (!openaiKey && dashscopeKey ? DASHSCOPE : OPENAI);
  if (!/^https?:/.test(baseURL) || !URL.canParse(baseURL)) {
    throw new UsageError(`"${baseURL}" is no URL of a server: it must look like http://localhost:11434/v1.`);
  }
  const { host } = new URL(baseURL);
  const isDashscope = /(^|\.)dashscope[\w-]*\.aliyuncs\.com$/.test(host);
  const apiKey = (isDashscope && dashscopeKey) || openaiKey;
  const name =
    flags.model ?? (isDashscope ? "qwen-plus" : host === "api.openai.com" ? "gpt-4.1-mini" : undefined);

  if (!apiKey && host === "api.openai.com") {
    throw new AgentError(
      "config/invalid",
      "There is no model to ask: set OPENAI_API_KEY or DASHSCOPE_API_KEY, or name a server that needs no key with " +
        "--base-url (Ollama: http://localhost:11434/v1).",
    );
  }
  if (!apiKey && isDashscope)
    throw new AgentError("config/invalid", "DashScope wants a key: set DASHSCOPE_API_KEY.");
  if (!name) throw new UsageError(`Which model of ${host}? Name it with --model.`);
  return { model: name, baseURL, ...(apiKey && { apiKey }) };
}
