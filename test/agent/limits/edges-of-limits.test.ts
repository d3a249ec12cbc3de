// Limits that are reached between two calls or two attempts.
import { setTimeout as sleep } from "node:timers/promises";
import { AgentError, createAgent, textOf, type AgentConfig } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../../src/store/memory.ts";
import { eventsOf, outputOf, resultsOf, scripted, toolOf, untilAborted } from "../../support/agents.ts";

const failed = { error: new AgentError("model/unavailable", "Down.", { isRetryable: true }) };

test("a failed request is not repeated when the budget has no model call left (I8)", async () => {
  const { agent, model } = scripted([failed, "never"], {
    budget: { modelCalls: 1 },
    modelOptions: { execution: { maxAttempts: 3, initialBackoffMs: 1 } },
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

test("an interrupt during postSummary lets the hook finish: what it hides stays hidden", async () => {
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

test("a tool call in a summary is in no event and not in the stored summary", async () => {
  const heard: string[] = [];
  const { agent } = scripted(
    [{ calls: [{ name: "t", input: {} }] }, { text: "so far", calls: [{ name: "t", input: {} }] }],
    {
      tools: [toolOf("t", () => "ok")],
      maxIters: 1,
      hooks: [{ name: "hears", summaryChunk: ({ kind }) => void heard.push(kind) }],
    },
  );
  const events = await eventsOf(agent.stream("go"));
  expect(new Set(heard)).toEqual(new Set(["text"]));
  const begun = events.flatMap((event) =>
    event.type === "block.start" ? [`${event.phase} ${event.kind}`] : [],
  );
  expect(new Set(begun)).toEqual(new Set(["reasoning tool_use", "summary text"]));
});

test("loadFrom replaces the session of a suspended agent too", async () => {
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

test("createAgent without an argument says what it expected", () => {
  for (const nothing of [null, undefined, "bot"])
    expect(() => createAgent(nothing as never)).toThrow(expect.objectContaining({ code: "config/invalid" }));
});

const again = { maxAttempts: 4, initialBackoffMs: 0 };

test("a failed tool call is not tried again when the budget has no tool call left (I8)", async () => {
  let runs = 0;
  const work = toolOf(
    "work",
    () => {
      throw new Error(`failure ${++runs}`);
    },
    { execution: again },
  );
  const { agent } = scripted([{ calls: [{ name: "work" }] }, "done"], {
    tools: [work],
    budget: { toolCalls: 2 },
  });
  const reply = await agent.call("go");
  expect(reply).toMatchObject({ reason: "MODEL_STOP", turn: { toolCalls: 2 } });
  expect(outputOf(resultsOf(await agent.messages())[0])).toContain("failure 2");
});

test("a retry of a tool call leaves the budget that the later calls of the batch need", async () => {
  const ran: string[] = [];
  const work = toolOf(
    "work",
    (_, { callId, attempt }) => {
      ran.push(`${callId} ${attempt}`);
      throw new Error("down");
    },
    { execution: again },
  );
  const { agent } = scripted([{ calls: [{ name: "work" }, { name: "work" }] }, "done"], {
    tools: [work],
    budget: { toolCalls: 3 },
  });
  await agent.call("go");
  expect(ran).toEqual(["call_1 1", "call_1 2", "call_2 1"]);
});

test("calls that time out together are retried only as far as the budget allows", async () => {
  const work = toolOf("work", (_, { attempt, signal }) => (attempt === 1 ? untilAborted(signal) : "done"), {
    execution: { ...again, timeoutMs: 20 },
  });
  const { agent } = scripted([{ calls: [{ name: "work" }, { name: "work" }] }, "done"], {
    tools: [work],
    parallelToolCalls: true,
    budget: { toolCalls: 3 },
  });
  expect((await agent.call("go")).turn.toolCalls).toBe(3);
});

describe("a time budget that ends between two calls of a batch", () => {
  function batch(config: Partial<AgentConfig> = {}) {
    let now = 1_000_000;
    const ran: string[] = [];
    const work = toolOf("work", (_, { callId }) => {
      now += 1_000;
      ran.push(callId);
      return callId;
    });
    const calls = [{ name: "work" }, { name: "work" }];
    const made = scripted([{ calls }, "done"], {
      tools: [work],
      ...config,
      sessionOptions: { now: () => now, ...config.sessionOptions },
    });
    return { ...made, ran };
  }

  test("a time budget that ends within a batch suspends the turn; extended, each remaining call runs once (I8)", async () => {
    const { agent, ran } = batch({ budget: { wallMs: 500 } });
    expect((await agent.call("go")).reason).toBe("BUDGET_EXCEEDED");
    expect(agent.status()).toMatchObject({ phase: "suspended", waitsFor: ["budget"] });
    expect(ran).toEqual(["call_1"]);
    await agent.extendBudget({ wallMs: 5_000 });
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual(["call_1", "call_2"]);
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual(["call_1", "call_2"]);
  });

  test("a time budget that ends within a batch with onExceeded stop ends the turn and keeps the results so far", async () => {
    const { agent, ran } = batch({ budget: { wallMs: 500, onExceeded: "stop" } });
    expect((await agent.call("go")).reason).toBe("BUDGET_EXCEEDED");
    expect(ran).toEqual(["call_1"]);
    const [first, second] = resultsOf(await agent.messages()).map(outputOf);
    expect(first).toBe("call_1");
    expect(second).toContain("budget of wallMs");
  });

  test("a time budget that ended within a batch stays exceeded after a restore", async () => {
    const first = batch({ budget: { wallMs: 500 } });
    await first.agent.call("go");
    const snapshot = JSON.parse(JSON.stringify(first.agent.snapshot()));
    const ran: string[] = [];
    const work = toolOf("work", (_, { callId }) => {
      ran.push(callId);
      return callId;
    });
    const { agent } = scripted(["done"], {
      tools: [work],
      budget: { wallMs: 500 },
      sessionOptions: { snapshot },
    });
    expect(agent.status().waitsFor).toEqual(["budget"]);
    await agent.extendBudget({ wallMs: 60_000 });
    await agent.call();
    expect(ran).toEqual(["call_2"]);
  });
});
