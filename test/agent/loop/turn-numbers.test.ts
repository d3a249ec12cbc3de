// The numbers of turns and the counters in events and hooks.
import { describe, expect, test } from "vitest";
import { AgentError, type AgentEvent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { resultsOf, scripted, toolOf } from "../../support/agents.ts";

const clerk = { calls: [{ id: "c1", name: "clerk" }] };

describe("the number of a turn", () => {
  test("the number of a turn is the same in all its events and hooks, from turn.start on", async () => {
    const told: AgentEvent[] = [];
    const hooked: number[][] = [];
    const { agent } = scripted(["a", "b"], {
      hooks: [
        {
          name: "sees",
          preCall: ({ turn, iteration }) => void hooked.push([turn, iteration]),
          preReasoning: ({ turn, iteration }) => void hooked.push([turn, iteration]),
        },
      ],
    });
    for (const turn of [1, 2]) {
      for await (const event of agent.stream("go")) told.push(event);
      expect(new Set(told.splice(0).map((event) => event.turn))).toEqual(new Set([turn]));
      expect(hooked.splice(0)).toEqual([
        [turn, 0],
        [turn, 0],
      ]);
    }
  });

  test("the number of a turn stays the same when a suspended turn continues, and rises when text cancels its calls", async () => {
    const turns: number[] = [];
    const { agent } = scripted([clerk, "plain", { calls: [{ id: "c2", name: "clerk" }] }, "done"], {
      tools: [toolOf("clerk")],
      turnOptions: { onTextWhilePending: "cancelPending" },
    });
    agent.subscribe((event) => void (event.type === "turn.start" && turns.push(event.turn)));
    await agent.call("go");
    await agent.call("never mind");
    await agent.call("again");
    await agent.call();
    expect(turns).toEqual([1, 2, 3, 3]);
  });

  test("the number of a turn does not rise for text that cannot cancel calls which wait for a decision", async () => {
    const turns: number[] = [];
    const { agent } = scripted([clerk, "end"], {
      tools: [toolOf("clerk", () => "yes", { permission: "ask" })],
      turnOptions: { onTextWhilePending: "cancelPending" },
    });
    agent.subscribe((event) => void (event.type.startsWith("turn.") && turns.push(event.turn)));
    await agent.call("go");
    await expect(agent.call("never mind")).rejects.toMatchObject({ code: "run/undecided" });
    expect(turns).toEqual([1, 1, 1, 1]);
  });

  test("text that cancels calls begins a new turn number, also if it is interrupted before it is stored", async () => {
    const turns: number[] = [];
    let calls = 0;
    const { agent } = scripted([clerk, "end"], {
      tools: [toolOf("clerk")],
      turnOptions: { onTextWhilePending: "cancelPending" },
      hooks: [{ name: "second", preCall: () => void (++calls === 2 && agent.interrupt()) }],
    });
    agent.subscribe((event) => void (event.type.startsWith("turn.") && turns.push(event.turn)));
    await agent.call("go");
    expect(await agent.call("never mind")).toMatchObject({ reason: "INTERRUPTED", turn: { modelCalls: 0 } });
    expect(turns).toEqual([1, 1, 2, 2]);
    expect(resultsOf(await agent.messages()).map(({ state }) => state)).toEqual(["interrupted"]);
  });
});

describe("the counters of a turn", () => {
  test("a turn interrupted during preCall has counters of its own", async () => {
    let calls = 0;
    const { agent } = scripted(["a", "b"], {
      hooks: [{ name: "second", preCall: () => void (++calls === 2 && agent.interrupt()) }],
    });
    expect((await agent.call("one")).turn).toMatchObject({ modelCalls: 1 });
    expect(await agent.call("two")).toMatchObject({
      reason: "INTERRUPTED",
      turn: { usage: {}, iterations: 0, modelCalls: 0, toolCalls: 0 },
    });
  });

  test("the counters of a turn include every attempt of a fallback model", async () => {
    const fallbackModel = scriptedModel([clerk, "end"], { name: "other" });
    const models: string[] = [];
    const { agent } = scripted([{ error: new AgentError("model/auth", "down") }], {
      modelOptions: { fallbackModel },
      tools: [toolOf("clerk", () => "yes")],
      hooks: [{ name: "sees", preReasoning: ({ model }) => void models.push(model) }],
    });
    expect((await agent.call("go")).turn).toMatchObject({ iterations: 2, modelCalls: 3 });
    expect(models).toEqual(["scripted", "other"]);
  });
});
