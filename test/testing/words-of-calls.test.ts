// Both models for tests name tool calls alike, and refuse what they would not play.
import { expect, onTestFinished, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { chatCompletionsServer, scriptedModel, type ChatCompletionsAnswer } from "agentchart/testing";

const now = defineTool({
  name: "now",
  description: "The time.",
  input: { type: "object" },
  execute: () => "12:00",
});
const answer = { calls: [{ name: "now", input: { zone: "UTC" } }] };

async function serverOf(first: ChatCompletionsAnswer) {
  const server = await chatCompletionsServer(({ messages }) =>
    messages.at(-1)!.role === "tool" ? { content: "It is noon." } : first,
  );
  onTestFinished(() => server.close());
  return openaiModel({ model: "m", apiKey: "none", baseURL: server.baseURL });
}

test("an answer of a script is an answer of the server, too", async () => {
  for (const model of [scriptedModel([answer, "It is noon."]), await serverOf(answer)]) {
    const agent = createAgent({ name: "clock", model, tools: [now] });
    expect((await agent.call("How late is it?")).text).toBe("It is noon.");
    expect((await agent.messages())[1]!.content).toMatchObject([
      { type: "tool_use", id: "call_1", name: "now", input: { zone: "UTC" } },
    ]);
  }
});

test("a field that no answer has is refused, and named", async () => {
  const wrong = { tool_call: [] } as object;
  expect(() => scriptedModel(["Hi.", wrong])).toThrow(
    expect.objectContaining({
      code: "config/invalid",
      message: expect.stringMatching(/^scriptedModel: `tool_call` is not an option; /),
    }),
  );
  const agent = createAgent({ name: "clock", model: await serverOf(wrong as ChatCompletionsAnswer) });
  await expect(agent.call("Hi")).rejects.toMatchObject({
    code: "model/bad-request",
    message: expect.stringContaining("`tool_call` is not an option; did you mean `tool_calls`?"),
  });
});
