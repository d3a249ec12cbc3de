// The windows of known models.
import { createAgent, type AgentConfig } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import { knownWindow } from "../../src/core/model/request.ts";

test.each([
  ["gpt-4", 8_192],
  ["gpt-4-turbo-2024-04-09", 128_000],
  ["openai/gpt-4.1-mini", 1_047_576],
  ["Claude-sonnet-4", 200_000],
  ["my-own-model", undefined],
] as const)("the window of %s is %j tokens", (name, tokens) => {
  expect(knownWindow(name)).toBe(tokens);
});

/** The window that an agent of these options works with, as its refusal of a prompt that is too long says it. */
function windowOf({
  compaction,
  contextTokens,
}: Pick<AgentConfig, "compaction"> & { contextTokens?: number }) {
  const model = {
    ...scriptedModel([]),
    name: "gpt-4",
    ...(contextTokens !== undefined && { capabilities: { contextTokens } }),
  };
  const options = { name: "a", model, sysPrompt: "word ".repeat(100_000), ...(compaction && { compaction }) };
  try {
    createAgent(options);
  } catch (error) {
    return /context window of (\d+) tokens/.exec(String(error))?.[1];
  }
  return undefined;
}

test("the option contextTokens comes before the model's capabilities, and those before the table", () => {
  expect(windowOf({})).toBe("8192");
  expect(windowOf({ contextTokens: 9_000 })).toBe("9000");
  expect(windowOf({ contextTokens: 9_000, compaction: { contextTokens: 10_000 } })).toBe("10000");
  expect(windowOf({ compaction: { contextTokens: 1_000_000 } })).toBeUndefined();
});
