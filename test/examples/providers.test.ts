// The example with several providers.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BARE_ENV } from "../support/bare-env.ts";

const root = join(import.meta.dirname, "../..");

test.each([
  ["", "Name a model as PROVIDER/MODEL; the providers are openai, dashscope"],
  ["nobody/m", "Name a model as PROVIDER/MODEL"],
  ["openai/m", "Set OPENAI_API_KEY."],
  ["dashscope/qwen-plus", "set DASHSCOPE_API_KEY"],
  ["anthropic/claude-x", "Set ANTHROPIC_API_KEY."],
])("examples/providers.ts with the model %j says what is missing", (model, words) => {
  const args = ["--conditions=agentchart-source", "examples/providers.ts", model];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env: BARE_ENV,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain(words);
});
