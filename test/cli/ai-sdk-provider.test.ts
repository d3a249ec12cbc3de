// The option `--model` with packages of the AI SDK.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aiSdkProviderModel } from "../../src/cli/ai-sdk-provider.ts";

const root = join(import.meta.dirname, "../..");

test.each([
  ["anthropic/claude-x", "ANTHROPIC_API_KEY", "anthropic/claude-x"],
  ["google/gemini-x", "GOOGLE_GENERATIVE_AI_API_KEY", "google/gemini-x"],
  ["mistral/magistral-x", "MISTRAL_API_KEY", "mistral/magistral-x"],
])("--model %s with %s is a model of the installed package", async (model, key, name) => {
  expect((await aiSdkProviderModel({ model }, { [key]: "k" }, root))?.name).toBe(name);
});

test("a provider without its key says which variable it wants", async () => {
  await expect(aiSdkProviderModel({ model: "anthropic/claude-x" }, {}, root)).rejects.toMatchObject({
    code: "config/invalid",
    message: 'The model "anthropic/claude-x" needs a key: set ANTHROPIC_API_KEY.',
  });
});

test("a provider that is not installed says what to install", async () => {
  await expect(
    aiSdkProviderModel({ model: "anthropic/claude-x" }, { ANTHROPIC_API_KEY: "k" }, tmpdir()),
  ).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringContaining("npm install @ai-sdk/anthropic"),
  });
});

test.each([
  [{ model: "gpt-4.1-mini" }, {}],
  [{}, {}],
  [{ model: "nobody/m", baseUrl: "http://127.0.0.1:1/v1" }, {}],
  [{ model: "moonshot/kimi" }, { DASHSCOPE_API_KEY: "k" }],
  [{ model: "anthropic" }, {}],
  [{ model: "anthropic/claude-x", baseUrl: "https://openrouter.ai/api/v1" }, {}],
  [{ model: "anthropic/claude-x" }, { OPENAI_BASE_URL: "https://openrouter.ai/api/v1" }],
])("%j with %j names no AI SDK provider", async (flags, env) => {
  expect(await aiSdkProviderModel(flags, env, root)).toBeUndefined();
});

test("a provider that is not known is refused with those that are, and how one is installed", async () => {
  await expect(
    aiSdkProviderModel({ model: "nobody/m" }, { OPENAI_API_KEY: "k" }, root),
  ).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringMatching(
      /provider "nobody".*alibaba, anthropic.*npm install @ai-sdk\/NAME.*--base-url/,
    ) as string,
  });
});
