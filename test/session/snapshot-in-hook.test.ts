// Snapshots that a hook takes.
import { expect, test } from "vitest";
import { AgentError, createAgent, textOf, type AgentConfig, type Hook, type Snapshot } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { historyProblem } from "../support/history.ts";
import { resultsOf, toolOf } from "../support/agents.ts";

const both: ScriptedTurn = {
  calls: [
    { id: "a", name: "work" },
    { id: "b", name: "work" },
  ],
};
const down: ScriptedTurn = { error: new AgentError("model/auth", "down") };

/** The turns of the agent that takes the snapshot, and of the one that goes on with it; how often the tool runs there. */
const POINTS: {
  readonly [point: string]: readonly [readonly ScriptedTurn[], readonly ScriptedTurn[], number];
} = {
  preCall: [[both, "end"], [both, "end"], 2],
  preReasoning: [[both, "end"], [both, "end"], 2],
  postReasoning: [[both, "end"], [both, "end"], 2],
  preActing: [[both, "end"], ["end"], 2],
  postActing: [[both, "end"], ["end"], 0],
  preSummary: [[both, "sum"], ["sum"], 0],
  postSummary: [[both, "sum"], ["sum"], 0],
  postCall: [["end"], ["end"], 0],
  onError: [[down], ["end"], 0],
};

test.each(Object.entries(POINTS))(
  "a snapshot taken within a %s hook goes on from there",
  async (point, given) => {
    const [turns, rest, runsThen] = given;
    let snapshot: Snapshot | undefined;
    let runs = 0;
    const work = toolOf("work", () => (runs++, "done"));
    const config: Omit<AgentConfig, "model"> = {
      name: "bot",
      tools: [work],
      maxIters: point.endsWith("Summary") ? 1 : 10,
    };
    const hook: Hook = { name: "keeps", [point]: () => void (snapshot ??= agent.snapshot()) };
    const agent = createAgent({ ...config, model: scriptedModel(turns), hooks: [hook] });
    await agent.call("go").catch(() => {});

    runs = 0;
    const next = createAgent({
      ...config,
      model: scriptedModel(rest),
      sessionOptions: {
        ...config.sessionOptions,
        snapshot: JSON.parse(JSON.stringify(snapshot)) as Snapshot,
      },
    });
    const reply = await next.call().catch(() => next.call()); // it tries again once the turn has failed
    const messages = await next.messages();
    expect(reply.text).toBe(rest.at(-1));
    expect(runs).toBe(runsThen);
    expect(historyProblem(messages)).toBeUndefined();
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
    expect(resultsOf(messages).map(({ id }) => id)).toEqual(turns[0] === both ? ["a", "b"] : []);
    expect(messages.filter((message) => textOf(message) === "go")).toHaveLength(1);
  },
);
