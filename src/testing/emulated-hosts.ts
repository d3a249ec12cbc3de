/** A host whose refusals are emulated. `anthropic` is asked by its Messages API, `gemini` by its own API or the compatible one, `openai`
 *  also by Responses; the others by Chat Completions. */
export type EmulatedHost =
  | "openai"
  | "azure"
  | "mistral"
  | "deepseek"
  | "moonshot"
  | "dashscope"
  | "groq"
  | "xai"
  | "anthropic"
  | "gemini"
  | "vllm"
  | "ollama"
  | "llama.cpp"
  | "lmstudio"
  | "openrouter";

/** The names of all emulated hosts. */
export const EMULATED_HOSTS: readonly EmulatedHost[] = [
  "openai",
  "azure",
  "mistral",
  "deepseek",
  "moonshot",
  "dashscope",
  "groq",
  "xai",
  "anthropic",
  "gemini",
  "vllm",
  "ollama",
  "llama.cpp",
  "lmstudio",
  "openrouter",
];
