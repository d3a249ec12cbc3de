// The agent suite, with a new agent after every step.
import { expect, test } from "vitest";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import {
  KILLED_IN,
  KILLED_IN_MIDST,
  NEVER_KILLED_IN,
  NOT_KILLED,
  NOT_KILLED_IN_MIDST,
  restores,
} from "../../support/agentchart-resume.ts";
import { waitingStates } from "../../../src/testing/explorer/edges.ts";
import { goneFrom } from "../../support/listed.ts";
import { toolOf } from "../../support/agents.ts";

test("in the resume mode a turn is carried by a new agent after every step", async () => {
  restores.clear();
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([{ calls: [{ name: "ok" }, { name: "ok" }] }, "sum"]),
    tools: [toolOf("ok", () => "done")],
    hooks: [{ name: "h", postActing: () => {} }],
    maxIters: 1,
  });
  expect((await agent.call("go")).text).toBe("sum");
  expect(Object.fromEntries(restores)).toEqual({
    "doCall.preCall": 1,
    "reasoning.preHooks": 1,
    "reasoning.calling": 1,
    "reasoning.postHooks": 1,
    "acting.preHooks": 1,
    "acting.reviewing": 1,
    "acting.executing": 2,
    "acting.postHooks": 2,
    "summarizing.preHooks": 1,
    "summarizing.calling": 1,
    "summarizing.postHooks": 1,
    stopped: 1,
  });
});

test("in the resume mode every state in which the chart can wait is one to be killed in, or says why not", () => {
  const named = [...KILLED_IN, ...KILLED_IN_MIDST, ...Object.keys(NEVER_KILLED_IN)];
  const waiting = waitingStates.map(({ path }) => path.replace(/\.running$/, ""));
  expect([...named, "stopped.idle", "stopped.unfinished", "suspended.waiting"].toSorted()).toEqual(
    waiting.toSorted(),
  );
});

test("what is not killed in the midst is a file or a test of the agent suite", () => {
  expect(goneFrom({ ...NOT_KILLED, ...NOT_KILLED_IN_MIDST })).toEqual([]);
});
