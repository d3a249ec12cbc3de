/** Context windows of models in tokens, by what their names begin with, as their providers state them; the longest match counts. A
 *  prefix such as "openai/" is ignored. */
const WINDOWS: { readonly [name: string]: number } = {
  "gpt-3.5-turbo": 16_385,
  "gpt-4": 8_192,
  "gpt-4-turbo": 128_000,
  "gpt-4o": 128_000,
  "gpt-4.1": 1_047_576,
  "gpt-5": 272_000,
  o1: 200_000,
  o3: 200_000,
  "o4-mini": 200_000,
  claude: 200_000,
  "gemini-1.5": 1_048_576,
  "gemini-2": 1_048_576,
  "mistral-large": 131_072,
  "mistral-medium": 131_072,
  "mistral-small": 131_072,
  codestral: 256_000,
  "deepseek-chat": 128_000,
  "deepseek-reasoner": 128_000,
  "grok-3": 131_072,
  "grok-4": 256_000,
  "kimi-k2": 131_072,
  "qwen-max": 32_768,
  "qwen-plus": 131_072,
  "qwen-turbo": 131_072,
  "qwen3-max": 262_144,
  "llama-3.1": 131_072,
  "llama-3.3": 131_072,
};

const LONGEST_FIRST = Object.entries(WINDOWS).toSorted(([a], [b]) => b.length - a.length);

/** The last name that was looked for: most agents of a process have one model. */
let last: { readonly name: string; readonly tokens: number | undefined } | undefined;

/** Returns the context window of a model of this name, in tokens; undefined if it is not known. */
export function knownWindow(name: string): number | undefined {
  if (last?.name === name) return last.tokens;
  const model = name.toLowerCase().split("/").at(-1)!;
  const tokens = LONGEST_FIRST.find(([prefix]) => model.startsWith(prefix))?.[1];
  last = { name, tokens };
  return tokens;
}
