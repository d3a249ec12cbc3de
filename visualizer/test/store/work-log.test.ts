// What took time in a run.
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, defineHook, type AgentConfig } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import { agentChart } from "../../../machines/agent/known-chart.ts";
import { WatchedRun } from "../../../src/inspect/client/watched-run.ts";
import { keptSteps } from "../../../test/inspect/client/kept-steps.ts";
import { toolOf } from "../../../test/support/agents.ts";
import { indexChart } from "../../src/logic/chart-index.ts";
import { lanesOf, laneTime } from "../../src/logic/lanes.ts";
import { titleOf } from "../../src/logic/step-title.ts";
import { RunData } from "../../src/store/run-data.ts";
import { encodeStep } from "../../src/wire/step.ts";
import { workLog, type WorkLog } from "../../src/store/work-log.ts";

const index = indexChart(agentChart().chart);

/** The steps of a turn as the page has them, in one piece or step by step, and what took time in them. */
async function turnOf(config: Partial<AgentConfig> & Pick<AgentConfig, "model">) {
  const agent = createAgent({ name: "bot", ...config });
  const watched = new WatchedRun(agent.sessionId, () => {});
  watched.attach(agent);
  await (config.sessionOptions?.snapshot ? agent.call() : agent.call("go")).catch(() => {});
  watched.write();
  const items = keptSteps(watched.history);
  const page = { runId: "r", states: watched.history.states, total: items.length, first: 1 };
  const run = new RunData();
  run.add({ ...page, items });
  const grown = new RunData();
  for (const item of items) {
    grown.add({ ...page, items: [item] });
    workLog(grown, index);
  }
  const log = workLog(run, index);
  expect(workLog(grown, index).works).toEqual(log.works);
  await agent.close();
  return { run, log };
}

const told = (log: WorkLog) =>
  log.works.map(({ kind, name, attempt, state, detail }) => [kind, name, attempt, state, detail]);
const look = (...ids: readonly string[]) => ({
  calls: ids.map((id) => ({ id, name: "look", input: { id } })),
});

test("a turn, its requests, and each attempt of a call take time, and a failed one says why", async () => {
  let calls = 0;
  const tool = toolOf("look", () => {
    if (++calls < 2) throw new Error("It is dark.\nVery dark.");
    return "seen";
  });
  const { run, log } = await turnOf({
    model: scriptedModel([look("a"), "done"]),
    tools: [{ ...tool, execution: { maxAttempts: 2, initialBackoffMs: 1, retryOn: "all" } }],
  });
  expect(told(log).filter(([kind]) => kind !== "rest")).toEqual([
    ["turn", "turn 1", 1, "done", ""],
    ["model", "model", 1, "done", ""],
    ["tool", "look", 1, "failed", "Error: Tool execution failed: It is dark."],
    ["tool", "look", 2, "done", "seen"],
    ["model", "model", 1, "done", ""],
  ]);
  const lanes = lanesOf(log.works, new Map());
  expect(lanes.map(({ name, depth, works }) => [name, depth, works.length])).toEqual([
    ["turn 1", 0, 1],
    ["model", 1, 1],
    ["look", 1, 2],
    ["model", 1, 1],
  ]);
  expect(laneTime(lanes[0]!)).toBeGreaterThan(0);
  const titles = Array.from({ length: run.last }, (_, at) =>
    titleOf(run.at(at + 1)!, log.endedAt(at + 1), log.begunAt(at + 1)),
  );
  expect(titles.map(({ title, isFailed }) => (isFailed ? `${title} ✕` : title))).toEqual([
    "the run began",
    "a call came in",
    "the model called a tool",
    "look failed ✕",
    "look: attempt 2",
    "look returned (attempt 2)",
    "the model answered",
  ]);
});

test("a call that waits for an answer is said to wait, in words of a person", async () => {
  const { run, log } = await turnOf({
    model: scriptedModel([look("a")]),
    tools: [toolOf("look", () => ({ suspended: true, reason: "Ask somebody." }) as never)],
  });
  const titles = Array.from({ length: run.last }, (_, at) =>
    titleOf(run.at(at + 1)!, log.endedAt(at + 1), log.begunAt(at + 1)),
  );
  const waiting = titles.find(({ title }) => title === "look waits for an answer");
  expect(waiting?.note).not.toMatch(/[A-Z]_[A-Z]/);
});

test("hooks are named by their point, with what they did to a call, and last as long as they ran", async () => {
  const hook = defineHook({
    name: "guard",
    preActing: async () => {
      await sleep(30);
      return { deny: "Not now." };
    },
  });
  const { log } = await turnOf({
    model: scriptedModel([look("a"), "done"]),
    tools: [toolOf("look", () => "seen")],
    hooks: [hook],
  });
  const ran = log.works.find(({ kind }) => kind === "hooks")!;
  expect(ran).toMatchObject({ name: "preActing", detail: "guard denied look: Not now." });
  expect(ran.end! - ran.begin).toBeGreaterThanOrEqual(29);
  expect(log.works.some(({ kind }) => kind === "tool")).toBe(false);
});

test("a request that failed before the fallback model answered belongs to the answer", async () => {
  const { run, log } = await turnOf({
    model: scriptedModel([{ error: new Error("down") }]),
    modelOptions: { fallbackModel: scriptedModel(["hello"]) },
  });
  expect(log.requestsAt(run.last).map(({ name, state, detail }) => [name, state, detail])).toEqual([
    ["model", "failed", "model/failed down"],
    ["fallback model", "done", ""],
  ]);
});

test("parallel calls overlap, and a refused one is the failure of the check that refused it", async () => {
  const { log } = await turnOf({
    model: scriptedModel([
      { calls: [...look("a", "b").calls, { id: "c", name: "no_such", input: {} }] },
      "done",
    ]),
    tools: [toolOf("look", () => sleep(20).then(() => "seen"))],
    parallelToolCalls: true,
  });
  const [a, b] = log.works.filter(({ kind }) => kind === "tool");
  expect(b!.begin).toBeLessThan(a!.end!);
  expect(log.works.find(({ kind }) => kind === "review")).toMatchObject({
    state: "failed",
    detail: expect.stringMatching(/^no_such: .*not found/),
  });
});

test("a run that is read from its middle has what began there, and all of it once its beginning is loaded", async () => {
  const { run, log } = await turnOf({
    model: scriptedModel([look("a"), "done"]),
    tools: [toolOf("look", () => "seen")],
  });
  const page = { runId: "r", states: run.states, total: run.last, first: 1 };
  const items = Array.from({ length: run.last }, (_, at) => encodeStep(run.at(at + 1)!));
  const half = new RunData();
  half.add({ ...page, items: items.slice(3), keyframe: run.contextAt(3)! });
  expect(workLog(half, index).works.map(({ kind }) => kind)).toEqual(["turn", "model", "rest"]);
  half.add({ ...page, items: items.slice(0, 3) });
  expect(workLog(half, index).works).toEqual(log.works);
});

test("the log of a run whose older steps arrive page by page is read again once, with the last page", async () => {
  const { run, log } = await turnOf({
    model: scriptedModel([look("a"), "done"]),
    tools: [toolOf("look", () => "seen")],
  });
  const page = { runId: "r", states: run.states, total: run.last, first: 1 };
  const items = Array.from({ length: run.last }, (_, at) => encodeStep(run.at(at + 1)!));
  const part = new RunData();
  part.add({ ...page, items: items.slice(4), keyframe: run.contextAt(4)! });
  part.isFilling = true;
  const logs = [workLog(part, index)];
  for (const at of [3, 2, 1, 0]) {
    const before = at === 0 ? {} : { keyframe: run.contextAt(at)! };
    part.add({ ...page, items: items.slice(at, at + 1), ...before });
    logs.push(workLog(part, index));
  }
  expect(new Set(logs).size).toBe(1);
  const { version } = part;
  part.isFilling = false;
  expect(part.version).toBeGreaterThan(version);
  expect(workLog(part, index).works).toEqual(log.works);
});

test("a call whose process ended while it ran was stopped, and its outcome is unknown", async () => {
  const running = Promise.withResolvers<void>();
  const tools = [toolOf("look", () => (running.resolve(), new Promise<string>(() => {})))];
  const killed = createAgent({
    name: "bot",
    model: scriptedModel([look("a")]),
    tools,
    turnOptions: { interruptGraceMs: 0 },
  });
  const turn = killed.call("go").catch(() => {});
  await running.promise;
  const snapshot = killed.snapshot();
  const { run, log } = await turnOf({ model: scriptedModel([]), tools, sessionOptions: { snapshot } });
  const call = log.works.find(({ kind }) => kind === "tool")!;
  expect(call).toMatchObject({ state: "stopped", detail: "its process ended, and its outcome is unknown" });
  expect(titleOf(run.at(call.to!)!, log.endedAt(call.to!), [])).toMatchObject({ title: "look was stopped" });
  await killed.close();
  await turn;
});
