import { setTimeout as sleep } from "node:timers/promises";
import { AgentError, createAgent, textOf } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/store/memory.ts";
import { scripted, toolOf } from "../support/agents.ts";

const failed = { error: new AgentError("model/unavailable", "Down.", { isRetryable: true }) };

test("a failed request is not repeated when the budget has no model call left (I8)", async () => {
  const { agent, model } = scripted([failed, "never"], {
    budget: { modelCalls: 1 },
    modelExecution: { maxAttempts: 3, initialBackoffMs: 1 },
  });
  await expect(agent.call("go")).rejects.toMatchObject({ code: "model/unavailable" });
  expect(model.requests).toHaveLength(1);
});

test("the summary is a model call too: over budget it is not asked for (I8)", async () => {
  const { agent, model } = scripted([{ calls: [{ name: "t", input: {} }] }, "never"], {
    tools: [toolOf("t", () => "ok")],
    maxIters: 1,
    budget: { modelCalls: 1 },
  });
  expect((await agent.call("go")).reason).toBe("BUDGET_EXCEEDED");
  expect(model.requests).toHaveLength(1);
});

test("a hook that is at a summary may finish when it is interrupted: what it hides stays hidden", async () => {
  const { agent } = scripted([{ calls: [{ name: "t", input: {} }] }, "a secret"], {
    tools: [toolOf("t", () => "ok")],
    maxIters: 1,
    hooks: [
      {
        name: "hides",
        postSummary: async ({ message }) => {
          agent.interrupt("stop");
          await sleep(20);
          return { message: { ...message, content: [{ type: "text", text: "hidden" }] } };
        },
      },
    ],
  });
  expect((await agent.call("go")).reason).toBe("INTERRUPTED");
  const texts = (await agent.messages()).map(textOf);
  expect(texts).toContain("hidden");
  expect(texts.join()).not.toContain("secret");
});

test("a suspended agent takes a saved session as well as one at rest", async () => {
  const store = memoryStore();
  const { agent: saved } = scripted(["hello"]);
  await saved.call("hi");
  await saved.saveTo(store, "kept");
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([{ calls: [{ name: "t", input: {} }] }]),
    tools: [toolOf("t")],
  });
  expect((await agent.call("go")).reason).toBe("TOOL_SUSPENDED");
  await agent.loadFrom(store, "kept");
  expect(agent.status()).toMatchObject({ phase: "stopped", pending: [] });
  expect((await agent.messages()).map(textOf)).toEqual(["hi", "hello"]);
});

test("createAgent says what it expected of nothing at all", () => {
  for (const nothing of [null, undefined, "bot"])
    expect(() => createAgent(nothing as never)).toThrow(expect.objectContaining({ code: "config/invalid" }));
});
