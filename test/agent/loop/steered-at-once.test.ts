// A message that is steered before the first request is a part of it.
import { describe, expect, test } from "vitest";
import { AgentError, defineHook, textOf, type Agent } from "agentchart";
import type { ScriptedModel } from "agentchart/testing";
import { scripted, toolOf } from "../../support/agents.ts";

const shown = (model: ScriptedModel): readonly (readonly string[])[] =>
  model.requests.map(({ messages }) => messages.filter(({ role }) => role === "user").map(textOf));

/** Steers once, when the first event of a type comes. */
function steerAt(agent: Agent, type: "turn.start" | "tool.end" | "state", text = "in euros"): void {
  const unsubscribe = agent.subscribe(
    () => {
      unsubscribe();
      expect(agent.steer(text)).toBe(true);
    },
    { types: [type] },
  );
}

describe("a message that is steered before a request was sent", () => {
  test("is in the first request of the turn, if a listener of turn.start gives it", async () => {
    const { agent, model } = scripted(["done"]);
    steerAt(agent, "turn.start");
    const reply = await agent.call("count");
    expect(shown(model)).toEqual([["count", "in euros"]]);
    expect(reply).toMatchObject({ text: "done", turn: { iterations: 1, modelCalls: 1 } });
    expect((await agent.messages()).map(textOf)).toEqual(["count", "in euros", "done"]);
  });

  test("is in the request behind the results, if a listener of tool.end gives it", async () => {
    const { agent, model } = scripted([{ calls: [{ name: "look" }] }, "done"], {
      tools: [toolOf("look", () => "seen")],
    });
    steerAt(agent, "tool.end");
    const reply = await agent.call("count");
    expect(shown(model)).toEqual([["count"], ["count", "in euros"]]);
    expect(reply.turn).toMatchObject({ iterations: 2, modelCalls: 2 });
  });

  test("is seen by the hooks that see the prompt", async () => {
    const seen: number[] = [];
    const hook = defineHook({
      name: "eyes",
      preReasoning: ({ messages }) => void seen.push(messages.filter(({ role }) => role === "user").length),
    });
    const { agent, model } = scripted(["done"], { hooks: [hook] });
    steerAt(agent, "turn.start");
    await agent.call("count");
    expect(shown(model)).toEqual([["count", "in euros"]]);
    expect(seen.at(-1)).toBe(2);
  });

  test("is in a request that is repeated", async () => {
    const { agent, model } = scripted(
      [{ error: new AgentError("model/unavailable", "down", { isRetryable: true }) }, "done"],
      {
        modelOptions: { execution: { maxAttempts: 2, initialBackoffMs: 1, maxBackoffMs: 1 } },
      },
    );
    const unsubscribe = agent.subscribe(
      () => {
        unsubscribe();
        agent.steer("in euros");
      },
      { types: ["retry"] },
    );
    const reply = await agent.call("count");
    expect(shown(model)).toEqual([["count"], ["count", "in euros"]]);
    expect(reply.turn).toMatchObject({ iterations: 1, modelCalls: 2 });
  });

  test("leaves the budget of calls as it is", async () => {
    const { agent } = scripted(["done"], { budget: { modelCalls: 1 } });
    steerAt(agent, "turn.start");
    expect(await agent.call("count")).toMatchObject({ text: "done", turn: { modelCalls: 1 } });
  });

  test("does not hold up a request for ever, if a hook steers before each", async () => {
    let agent: Agent | undefined;
    const hook = defineHook({ name: "more", preReasoning: () => void agent!.steer("more") });
    const made = scripted(["one", "two", "three"], { hooks: [hook], maxIters: 2 });
    ({ agent } = made);
    await agent.call("count");
    expect(made.model.requests.length).toBeLessThanOrEqual(3);
  });
});
