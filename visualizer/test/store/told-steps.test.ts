// The steps that are told, without the engine's own.
import { expect, test } from "vitest";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../../../test/support/agents.ts";
import { titleInList, titleOf } from "../../src/logic/step-title.ts";
import { toldSteps, withStep } from "../../src/store/told-steps.ts";
import { workLog } from "../../src/store/work-log.ts";
import { RunData } from "../../src/store/run-data.ts";
import { encodeStep } from "../../src/wire/step.ts";
import type { StepPage } from "../../src/wire/types.ts";
import { index, observed } from "../map/mapped.ts";

const titlesOf = (run: RunData, steps: readonly number[]): readonly string[] => {
  const log = workLog(run, index);
  return steps.map((at) => titleOf(run.at(at)!, log.endedAt(at), log.begunAt(at)).title);
};

/** A run in which one call needs no permission, and one is asked for. */
const paid = (): Promise<RunData> => {
  const turns = [
    { calls: [{ id: "1", name: "look", input: {} }] },
    { calls: [{ id: "2", name: "pay", input: {} }] },
    "Paid.",
  ];
  const tools = [toolOf("look", () => "a bill"), toolOf("pay", () => "paid", { permission: "ask" })];
  const agent = createAgent({ name: "payer", model: scriptedModel(turns), tools });
  return observed(agent, async () => {
    await agent.call("Pay.");
    await agent.decide(agent.status().pending[0]!.callId, "approve");
    await agent.call();
  });
};

test("the told steps are all but those in which the engine checked permissions or stored, and a step that asks a person is told", async () => {
  const run = await paid();
  const all = Array.from({ length: run.last }, (_, at) => at + 1);
  const told = toldSteps(run, index);
  const hidden = titlesOf(
    run,
    all.filter((at) => !told.includes(at)),
  );
  expect(new Set(hidden)).toEqual(new Set(["permissions checked"]));
  expect(titlesOf(run, told)).toContain("a person is asked");
  expect(titlesOf(run, told)).not.toContain("permissions checked");
  expect(toldSteps(run, index)).toEqual(told); // judged once
});

test("a run that was drawn before its steps came, the newest first, is told as any other", async () => {
  const run = await paid();
  const told = toldSteps(run, index);
  const loaded = new RunData();
  expect(toldSteps(loaded, index)).toEqual([]);
  const pageOf = (from: number, to: number): StepPage => ({
    runId: "r",
    states: run.states,
    items: Array.from({ length: to - from + 1 }, (_, at) => encodeStep(run.at(from + at)!)),
    total: run.last,
    first: 1,
  });
  const middle = Math.ceil(run.last / 2);
  loaded.isFilling = true;
  loaded.add(pageOf(middle + 1, run.last));
  expect(toldSteps(loaded, index).slice(middle)).toEqual(told.filter((at) => at > middle));
  loaded.add(pageOf(1, middle));
  loaded.isFilling = false;
  expect(toldSteps(loaded, index)).toEqual(told);
});

test("a step of the engine that the list has, because it is displayed, tells the call that runs since", async () => {
  const run = await paid();
  const log = workLog(run, index);
  const titles = Array.from({ length: run.last }, (_, at) => {
    const { title, took } = titleInList(run.at(at + 1)!, log.endedAt(at + 1), log.begunAt(at + 1));
    return [title, took] as const;
  });
  const began = titles.filter(([title]) => title.endsWith(" began") && title !== "the run began");
  expect(began).toEqual([["pay began", undefined]]);
});

test("the displayed step stands in its place among the told steps", () => {
  expect(withStep([1, 3, 5], 3)).toEqual([1, 3, 5]);
  expect(withStep([1, 3, 5], 4)).toEqual([1, 3, 4, 5]);
  expect(withStep([3, 5], 1)).toEqual([1, 3, 5]);
  expect(withStep([1, 3], 9)).toEqual([1, 3, 9]);
  expect(withStep([1, 3], 0)).toEqual([1, 3]);
});
