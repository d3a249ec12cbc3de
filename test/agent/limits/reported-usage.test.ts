// Counts of tokens that a provider reports, and when they are believed.
import { expect, test } from "vitest";
import { createAgent, defineTool, type Usage } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { countMessage, countText, countTools } from "../../../src/core/model/request.ts";

const tools = [
  defineTool({ name: "look", description: "Looks.", input: { type: "object" }, execute: () => "seen" }),
];
const LONG = "a long text with some words of its own, ".repeat(500);
const offered = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];

test.each<[string, Usage]>([
  ["a prompt of 10 tokens", { inputTokens: 10, outputTokens: 100 }],
  ["a prompt of 0 tokens", { inputTokens: 0, outputTokens: 100 }],
  ["a prompt that is more than a number can say", { inputTokens: 1e300, outputTokens: 100 }],
])("%s that was a long text is counted by the agent itself", async (_, usage) => {
  const model = scriptedModel([{ text: "yes", usage }]);
  const { turn } = await createAgent({ name: "a", model, tools }).call(LONG);
  const ours = countText(LONG) + 4 + countTools(offered);
  expect(turn.usage).toMatchObject({ inputTokens: ours, outputTokens: 100, estimated: true });
  expect(ours).toBe(
    model.requests[0]!.messages.map(countMessage).reduce((a, b) => a + b) + countTools(offered),
  );
});

test.each([0, 3])(
  "a long answer that was reported as %i tokens is counted by the agent itself",
  async (count) => {
    const model = scriptedModel([{ text: LONG, usage: { inputTokens: 100, outputTokens: count } }]);
    const { turn } = await createAgent({ name: "a", model }).call("go");
    expect(turn.usage).toMatchObject({ inputTokens: 100, outputTokens: countText(LONG), estimated: true });
  },
);

test("a count is believed from a quarter of the agent's own on", async () => {
  const model = scriptedModel([{ text: "yes", usage: { inputTokens: 1_300, outputTokens: 1 } }]);
  const { turn } = await createAgent({ name: "a", model }).call(LONG);
  expect(countText(LONG)).toBeGreaterThan(4_500);
  expect(turn.usage).toMatchObject({ inputTokens: 1_300 });
  expect(turn.usage.estimated).toBeUndefined();
});

test("a prompt of images that the provider counts as few tokens is believed", async () => {
  const image = {
    type: "image",
    source: { type: "base64", mediaType: "image/png", data: "aGVsbG8=" },
  } as const;
  const model = scriptedModel([{ text: "yes", usage: { inputTokens: 400, outputTokens: 1 } }]);
  const content = Array.from({ length: 10 }, () => image);
  const input = { id: "m", role: "user", name: "user", content, metadata: {}, timestamp: 0 } as const;
  const { turn } = await createAgent({ name: "a", model }).call([input]);
  expect(turn.usage).toMatchObject({ inputTokens: 400 });
  expect(turn.usage.estimated).toBeUndefined();
});
