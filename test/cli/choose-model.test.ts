// The model that the command line chooses by the environment.
import { expect, test } from "vitest";
import { chooseModel } from "../../src/cli/choose-model.ts";

const OPENAI_API_KEY = "sk-openai";
const DASHSCOPE_API_KEY = "sk-dashscope";
const OLLAMA = "http://localhost:11434/v1";
const DASHSCOPE = "https://dashscope-intl.aliyuncs.com/compatible-mode/v1";

test.for([
  ["OpenAI with its key", {}, { OPENAI_API_KEY }, "gpt-4.1-mini at api.openai.com", "sk-openai"],
  [
    "OpenAI with both keys",
    {},
    { OPENAI_API_KEY, DASHSCOPE_API_KEY },
    "gpt-4.1-mini at api.openai.com",
    "sk-openai",
  ],
  [
    "DashScope with its key only",
    {},
    { DASHSCOPE_API_KEY },
    "qwen-plus at dashscope.aliyuncs.com",
    "sk-dashscope",
  ],
  [
    "an international DashScope server with its own key",
    { baseUrl: DASHSCOPE },
    { OPENAI_API_KEY, DASHSCOPE_API_KEY },
    "qwen-plus at dashscope-intl.aliyuncs.com",
    "sk-dashscope",
  ],
  ["a server without a key", { baseUrl: OLLAMA, model: "qwen3" }, {}, "qwen3 at localhost:11434", undefined],
  [
    "another server without DashScope's key",
    { model: "qwen3" },
    { OPENAI_BASE_URL: OLLAMA, DASHSCOPE_API_KEY },
    "qwen3 at localhost:11434",
    undefined,
  ],
  [
    "the server of the flag over the server of the environment",
    { baseUrl: OLLAMA, model: "m" },
    { OPENAI_BASE_URL: "http://other/v1", OPENAI_API_KEY },
    "m at localhost:11434",
    "sk-openai",
  ],
  [
    "DashScope if the other variables are empty",
    {},
    { OPENAI_API_KEY: " ", OPENAI_BASE_URL: "", DASHSCOPE_API_KEY },
    "qwen-plus at dashscope.aliyuncs.com",
    "sk-dashscope",
  ],
] as const)("chooseModel() chooses %s", ([, flags, env, where, apiKey]) => {
  const { model, baseURL, ...rest } = chooseModel(flags, env);
  expect(`${model} at ${new URL(baseURL).host}`).toBe(where);
  expect(rest).toEqual(apiKey === undefined ? {} : { apiKey });
});

test("chooseModel() names the variable of the key that DashScope needs", () => {
  expect(() => chooseModel({ baseUrl: DASHSCOPE }, {})).toThrow("set DASHSCOPE_API_KEY");
});
