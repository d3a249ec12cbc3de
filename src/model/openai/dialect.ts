/** How Chat Completions servers differ, where that cannot be read from their answers. */
export type ChatDialect = {
  /** The name of the field for `maxTokens`. Default: `max_completion_tokens` for OpenAI and Azure, else `max_tokens`. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Whether thinking is sent back with its assistant message, as DeepSeek and Qwen require within a tool loop. Default: true,
   *  except for OpenAI and Azure, which stream no thinking and may refuse the field. */
  readonly sendReasoning: boolean;
  /** How media in tool results are sent: as content `parts`, or as `text` that says where they are. Default: `parts`, except for
   *  OpenAI and Azure, which accept only text. */
  readonly toolMedia: "parts" | "text";
  /** Whether characters that OpenAI and Azure refuse in names of tools are replaced by "_" in earlier calls: a model may have made
   *  up such a name. Default: true for OpenAI and Azure, else false. */
  readonly strictNames: boolean;
  /** Whether the name of the speaker is sent, where it differs from the role. Default: true for OpenAI and Azure; others may refuse
   *  the field. */
  readonly sendNames: boolean;
};

/** The default `baseURL`. */
export const OPENAI_BASE_URL = "https://api.openai.com/v1";

const OPENAI_HOSTS = /(^|\.)(api\.openai\.com|openai\.azure\.com)$/;

/** Returns the dialect of the server at `baseURL`, which its host name decides. */
export function dialectOf(baseURL: string): ChatDialect {
  const isOpenAI = URL.canParse(baseURL) && OPENAI_HOSTS.test(new URL(baseURL).hostname);
  return isOpenAI
    ? {
        maxTokensField: "max_completion_tokens",
        sendReasoning: false,
        toolMedia: "text",
        strictNames: true,
        sendNames: true,
      }
    : {
        maxTokensField: "max_tokens",
        sendReasoning: true,
        toolMedia: "parts",
        strictNames: false,
        sendNames: false,
      };
}
