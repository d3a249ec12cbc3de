// Attempts that failed, as steps.
import { createAgent, type AgentConfig } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { expect, test } from "vitest";
import { WatchedRun } from "../../../src/inspect/client/watched-run.ts";
import { toolOf } from "../../../test/support/agents.ts";
import { keptSteps } from "../../../test/inspect/client/kept-steps.ts";
import { isFailure, noteOf } from "../../src/logic/step-notes.ts";
import { decodeStep, type Step } from "../../src/wire/step.ts";

/** The steps of a turn, as the page gets them. */
async function turnOf(config: Partial<AgentConfig> & Pick<AgentConfig, "model">): Promise<readonly Step[]> {
  const agent = createAgent({ name: "bot", tools: [toolOf("look", () => "seen")], ...config });
  const run = new WatchedRun(agent.sessionId, () => {});
  run.attach(agent);
  await agent.call("go").catch(() => {});
  run.write();
  return keptSteps(run.history).map(decodeStep);
}

const failed = (steps: readonly Step[]) =>
  steps.filter(isFailure).map((step) => [step.event, noteOf(step)] as const);

const DONE = "xstate.done.actor.callModel";
const look = { calls: [{ name: "look" }] };
const down: ScriptedTurn = { error: new Error("the model is down") };
/** Answers nothing until it is aborted. */
const silent: ScriptedTurn = async function* (_, signal) {
  yield { type: "text.delta", delta: "" };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

test("a failed attempt of the summary is a failure of the step that stores the sentence about it", async () => {
  const steps = await turnOf({ model: scriptedModel([look, down]), maxIters: 1 });
  expect(failed(steps)).toEqual([
    [DONE, expect.stringMatching(/^assistant: Maximum iterations \(1\) reached.*the model is down$/)],
  ]);
});

test("a failed attempt that the fallback model answers is a failure, and the note says of what kind", async () => {
  const steps = await turnOf({
    model: scriptedModel([down]),
    modelOptions: { fallbackModel: scriptedModel(["hello"]) },
  });
  expect(failed(steps)).toEqual([[DONE, "model/failed the model is down"]]);
});

test("an attempt that timed out is a failure of the step that ended it", async () => {
  const [model, fallbackModel] = [scriptedModel([silent]), scriptedModel([silent])];
  const steps = await turnOf({
    model,
    modelOptions: { fallbackModel, execution: { timeoutMs: 1, maxAttempts: 1 } },
  });
  expect(failed(steps)).toEqual([
    [DONE, "model/timeout"],
    [DONE, "model/timeout The model did not finish within its timeout of 1 ms."],
  ]);
});

test("steps of a turn without a failure are none", async () => {
  expect(failed(await turnOf({ model: scriptedModel(["hello"]) }))).toEqual([]);
});
