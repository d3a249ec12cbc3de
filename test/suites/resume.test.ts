import { expect, test } from "vitest";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { restores } from "../support/agentchart-resume.ts";
import { toolOf } from "../support/agents.ts";

test("in the resume mode a turn is carried by a new agent after every step", async () => {
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([{ calls: [{ name: "ok" }, { name: "ok" }] }, "sum"]),
    tools: [toolOf("ok", () => "done")],
    hooks: [{ name: "h", postActing: () => {} }],
    maxIters: 1,
  });
  expect((await agent.call("go")).text).toBe("sum");
  expect(Object.fromEntries(restores)).toEqual({
    "reasoning.preHooks": 1,
    "reasoning.calling": 1,
    "acting.preHooks": 1,
    "acting.reviewing": 1,
    "acting.postHooks": 2,
    "summarizing.preHooks": 1,
    "summarizing.calling": 1,
    stopped: 1,
  });
});
