import type { DialectName } from "../host-rules.ts";
import { dialectOfServer, HOSTS } from "../hosts.ts";

/** The differences between Chat Completions servers, where they cannot be read from their answers. */
export type ChatDialect = {
  /** The name of the field for `maxTokens`. Default: `max_completion_tokens` for OpenAI and Azure, else `max_tokens`. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Whether thinking is sent back with its assistant message, as DeepSeek and Qwen require within a tool loop. Default: true,
   *  except for OpenAI, Azure and Perplexity, which stream no thinking or may refuse the field. */
  readonly sendReasoning: boolean;
  /** The place of the thinking of other servers. It is put into the field `reasoning_content` or `reasoning` of its message, or into its
   *  `content` as a part of its own. Thinking of the same server goes back in the form in which it came. Default: `content` for Mistral,
   *  `reasoning` for Groq, Cerebras and OpenRouter, else `reasoning_content`. */
  readonly reasoningField: "reasoning_content" | "reasoning" | "content";
  /** The form in which media in tool results are sent: as content `parts`, or as `text` that says where they are. Default: `parts`, except
   *  for OpenAI and Azure, which accept only text. */
  readonly toolMedia: "parts" | "text";
  /** The form in which the bytes of a sound are sent: as `base64`, or as a data `url`. Default: `url` for DashScope, else `base64`. */
  readonly audioData: "base64" | "url";
  /** Whether characters that the host refuses in names of tools are replaced by "_" in earlier calls: a model may have made up such a
   *  name. Default: true. */
  readonly strictNames: boolean;
  /** Whether the name of the speaker is sent, where it differs from the role. Default: true for OpenAI and Azure; others may refuse
   *  the field. */
  readonly sendNames: boolean;
  /** True if the id of the session is sent as `prompt_cache_key`. All its requests then reach the machine that has their common beginning
   *  in its cache. Default: true for OpenAI, Azure, Moonshot and servers on this machine; others may refuse the field. */
  readonly sendCacheKey: boolean;
};

/** The default `baseURL`. */
export const OPENAI_BASE_URL = "https://api.openai.com/v1";

const THIS_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const WITH_CACHE_KEY: readonly DialectName[] = [
  "openai",
  "azure",
  "moonshot",
  "vllm",
  "ollama",
  "llama.cpp",
  "lmstudio",
];

const isOpenAI = (name: DialectName): boolean => name === "openai" || name === "azure";

/** Returns the name of the dialect of a model: the one that is given, else what the name of the server says. */
export function dialectNameOf({
  dialect,
  baseURL = OPENAI_BASE_URL,
  model = "",
}: {
  readonly dialect?: DialectName | undefined;
  readonly baseURL?: string | undefined;
  readonly model?: string | undefined;
}): DialectName {
  return dialect ?? dialectOfServer(hostNameOf(baseURL), model);
}

/** Returns the dialect of the server at `baseURL`; `name`: the one that is given. */
export function dialectOf(baseURL: string, name: DialectName = dialectNameOf({ baseURL })): ChatDialect {
  const { thinking } = HOSTS[name];
  return {
    maxTokensField: isOpenAI(name) ? "max_completion_tokens" : "max_tokens",
    sendReasoning: thinking.isSent,
    reasoningField: thinking.field,
    toolMedia: isOpenAI(name) ? "text" : "parts",
    audioData: name === "dashscope" ? "url" : "base64",
    strictNames: true,
    sendNames: isOpenAI(name),
    sendCacheKey: WITH_CACHE_KEY.includes(name) || THIS_MACHINE.test(hostNameOf(baseURL) ?? ""),
  };
}

/** Returns the name of the host of a URL, without port; undefined if it is not a URL. */
export function hostNameOf(baseURL: string): string | undefined {
  return URL.canParse(baseURL) ? new URL(baseURL).hostname : undefined;
}
