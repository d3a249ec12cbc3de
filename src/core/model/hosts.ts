import type { DialectName, HostRules, OrderRule, SchemaRule, ToolRule } from "./host-rules.ts";

const ANY_ORDER: OrderRule = {
  userAfterResults: true,
  answerAtEnd: true,
  answerAtStart: true,
  emptyTexts: true,
};
const ANY_SCHEMA: SchemaRule = { isTyped: false, hasStringEnums: false, hasPatterns: true };
const TYPED_SCHEMA: SchemaRule = { ...ANY_SCHEMA, isTyped: true };

const WORDS = /^[\w-]{1,64}$/;
const TOOLS: ToolRule = { names: WORDS, hasNamedChoice: true };

/** The rules of a host of which no other rule is known. OpenAI's limits are the narrowest of those that many hosts and gateways have. */
const PLAIN: HostRules = {
  ids: { form: "any", most: 40 },
  order: ANY_ORDER,
  schema: ANY_SCHEMA,
  tools: { ...TOOLS, most: 128, description: 1_024 },
  thinking: { isSent: true, field: "reasoning_content", isNeeded: false },
};

const OPENAI: HostRules = { ...PLAIN, thinking: { ...PLAIN.thinking, isSent: false } };

/** A server of your own takes whatever it can make a prompt of. */
const OWN_SERVER: HostRules = { ...PLAIN, ids: { form: "any" }, tools: TOOLS };

const MISTRAL: HostRules = {
  ...PLAIN,
  ids: { form: "alphanumeric", exactly: 9 },
  order: { userAfterResults: false, answerAtEnd: false, answerAtStart: false, emptyTexts: false },
  tools: { ...TOOLS, most: 128 },
  thinking: { ...PLAIN.thinking, field: "content" },
};

const ANTHROPIC: HostRules = {
  ...PLAIN,
  ids: { form: "word", most: 64 },
  order: { userAfterResults: true, answerAtEnd: false, answerAtStart: false, emptyTexts: false },
  schema: { ...ANY_SCHEMA, keys: /^[\w.-]{1,64}$/ },
  tools: TOOLS,
};

/**
 * The rules of each host that is known, in one place. They are what `docs/models.md` shows, what both adapters keep to, and what they are
 * tested against.
 */
export const HOSTS: { readonly [name in DialectName]: HostRules } = {
  openai: { ...OPENAI, servers: /(^|\.)api\.openai\.com$/, providers: ["openai"] },
  azure: { ...OPENAI, servers: /(^|\.)openai\.azure\.com$/, providers: ["azure", "azure-openai"] },
  mistral: { ...MISTRAL, servers: /(^|\.)mistral\.ai$/, providers: ["mistral"] },
  deepseek: {
    ...PLAIN,
    servers: /(^|\.)deepseek\.com$/,
    providers: ["deepseek"],
    ids: { form: "any" },
    tools: { ...TOOLS, most: 128 },
    thinking: { ...PLAIN.thinking, isNeeded: true },
  },
  moonshot: {
    ...PLAIN,
    servers: /(^|\.)(moonshot\.(ai|cn)|kimi\.com)$/,
    providers: ["moonshotai"],
    ids: { form: "any" },
    schema: TYPED_SCHEMA,
    tools: { ...TOOLS, most: 128, names: /^[a-zA-Z_][\w-]{0,63}$/ },
    thinking: { ...PLAIN.thinking, isNeeded: true },
  },
  dashscope: {
    ...PLAIN,
    servers: /^dashscope[\w-]*\.aliyuncs\.com$/,
    providers: ["alibaba", "qwen"],
    tools: { ...TOOLS, most: 128 },
  },
  groq: {
    ...PLAIN,
    servers: /(^|\.)groq\.com$/,
    providers: ["groq"],
    thinking: { ...PLAIN.thinking, field: "reasoning" },
  },
  xai: { ...PLAIN, servers: /(^|\.)x\.ai$/, providers: ["xai"], tools: { ...PLAIN.tools, most: 200 } },
  anthropic: {
    ...ANTHROPIC,
    servers: /(^|\.)anthropic\.com$/,
    providers: ["anthropic", "vertex.anthropic", "googleVertex.anthropic"],
  },
  bedrock: { ...ANTHROPIC, providers: ["amazon-bedrock", "bedrock"] },
  gemini: {
    ...PLAIN,
    servers: /^generativelanguage\.googleapis\.com$/,
    providers: ["google", "google-vertex", "googleVertex", "vertex"],
    ids: { form: "any" },
    order: { ...ANY_ORDER, answerAtEnd: false, answerAtStart: false, emptyTexts: false },
    schema: { ...TYPED_SCHEMA, hasStringEnums: true },
    tools: { ...TOOLS, most: 512, names: /^[a-zA-Z_][\w.:-]{0,63}$/ },
  },
  vllm: OWN_SERVER,
  ollama: { ...OWN_SERVER, servers: /(^|\.)ollama\.com$/ },
  "llama.cpp": { ...OWN_SERVER, schema: { ...ANY_SCHEMA, hasPatterns: false } },
  lmstudio: { ...OWN_SERVER, tools: { ...TOOLS, hasNamedChoice: false } },
  openrouter: {
    ...PLAIN,
    servers: /(^|\.)openrouter\.ai$/,
    providers: ["openrouter"],
    thinking: { ...PLAIN.thinking, field: "reasoning" },
  },
  "openrouter/mistral": {
    ...MISTRAL,
    tools: PLAIN.tools,
    thinking: { ...PLAIN.thinking, field: "reasoning" },
  },
  cerebras: {
    ...PLAIN,
    servers: /(^|\.)cerebras\.ai$/,
    providers: ["cerebras"],
    thinking: { ...PLAIN.thinking, field: "reasoning" },
  },
  perplexity: {
    ...PLAIN,
    servers: /(^|\.)perplexity\.ai$/,
    providers: ["perplexity"],
    thinking: { ...PLAIN.thinking, isSent: false },
  },
  plain: PLAIN,
};

/** The names of all dialects. */
export const DIALECT_NAMES = Object.keys(HOSTS) as readonly DialectName[];

/** OpenRouter passes the rules of Mistral's models on. */
const named = (name: DialectName, model: string): DialectName =>
  name === "openrouter" && model.startsWith("mistralai/") ? "openrouter/mistral" : name;

/** Returns the dialect of the server with this name, such as `api.mistral.ai`, for a model. No other part of a URL decides. */
export function dialectOfServer(server: string | undefined, model: string): DialectName {
  const found = DIALECT_NAMES.find((name) => server !== undefined && HOSTS[name].servers?.test(server));
  return named(found ?? "plain", model);
}

/** Returns the dialect of a provider of the AI SDK, by the longest beginning of its name that is known: `anthropic` of
 *  `anthropic.messages`. */
export function dialectOfProvider(provider: string, model: string): DialectName {
  const parts = provider.split(".");
  for (let count = parts.length; count > 0; count--) {
    const family = parts.slice(0, count).join(".");
    const found = DIALECT_NAMES.find((name) => HOSTS[name].providers?.includes(family));
    if (found) return named(found, model);
  }
  return "plain";
}
