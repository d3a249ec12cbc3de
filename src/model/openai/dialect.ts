/** How a Chat Completions server differs from the others, where that cannot be read from its answers. */
export type ChatDialect = {
  /** The name of the token limit. `max_completion_tokens` for OpenAI and Azure, else `max_tokens`. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Send thinking back with the assistant message it belongs to, as DeepSeek and qwen want it within a tool loop.
   *  True except for OpenAI and Azure, which stream no thinking and may refuse the field. */
  readonly sendReasoning: boolean;
  /** Media in tool results: as content `parts`, or `text` that says where they are. OpenAI and Azure take only text. */
  readonly toolMedia: "parts" | "text";
  /** Replace what OpenAI and Azure refuse in the tool names of past calls by "_": a model may have made them up. */
  readonly strictNames: boolean;
  /** Say who speaks, where the name is another than the role. True for OpenAI and Azure; others may refuse the field. */
  readonly sendNames: boolean;
};

/** Where requests go if no `baseURL` is given. */
export const OPENAI_BASE_URL = "https://api.openai.com/v1";

const OPENAI_HOSTS = /(^|\.)(api\.openai\.com|openai\.azure\.com)$/;

/** By base URL: parsing one costs as much as the rest of a small request. */
const dialects = new Map<string, ChatDialect>();

/** The dialect of the server at `baseURL`, told by its host name. */
export function dialectOf(baseURL: string): ChatDialect {
  let dialect = dialects.get(baseURL);
  if (!dialect) dialects.set(baseURL, (dialect = dialectAt(baseURL)));
  return dialect;
}

function dialectAt(baseURL: string): ChatDialect {
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
