// The memory that a recorder spends on the steps of long runs.
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import { History } from "../../../src/inspect/client/history.ts";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import type { Step } from "../../../src/inspect/protocol/protocol.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { WatchedRun } from "../../../src/inspect/client/watched-run.ts";
import { RunSender, textOf } from "../../../src/inspect/client/run-sender.ts";
import { toolOf } from "../../support/agents.ts";
import { keptSteps } from "./kept-steps.ts";

const step = (q: number, text: string): string =>
  JSON.stringify({ q, t: 0, m: 0, e: "", x: [], s: 0, p: [["=", [`key${q % 7}`], text]] } satisfies Step);

test.each([
  { keep: { steps: 100 }, text: "short" },
  { keep: { bytes: 40_000 }, text: "x".repeat(300) },
  { keep: { bytes: 10 }, text: "longer than all that may be kept" },
])(
  "History with the limits $keep stays bounded, and its base is the context before its first step",
  ({ keep, text }) => {
    const history = new History(keep);
    const contexts: JsonObject[] = [{}];
    for (let q = 1; q <= 1_000; q++) {
      history.push(step(q, `${text} ${q}`));
      const context = { ...contexts.at(-1), [`key${q % 7}`]: `${text} ${q}` };
      contexts.push(context);
      history.settle(() => () => context);
    }
    const steps = keptSteps(history);
    expect(history.last).toBe(1_000);
    expect(history.first).toBeGreaterThan(400);
    expect(steps.map(({ q }) => q)).toEqual(
      Array.from({ length: 1_001 - history.first }, (_, i) => history.first + i),
    );
    expect(history.base).toEqual(contexts[history.first - 1]);
    expect(steps.reduce<JsonObject>((now, { p = [] }) => applyPatch(now, p), history.base!)).toEqual(
      contexts.at(-1),
    );
  },
);

test("a long string that was evicted and comes again is sent again", () => {
  const history = new History({ blobBytes: 10 });
  const run = { runId: "r", history, report: () => ({ row: {}, pending: [] }), drain: () => ({ items: [] }) };
  const sender = new RunSender(run as never);
  const sent = (): string[] =>
    [...sender.messages({} as never, () => true)].flatMap((parts) => {
      const message = JSON.parse(textOf(parts)) as { type: string; sha?: string };
      return message.type === "blob" ? [message.sha!] : [];
    });
  const added = (sha: string): string[] => (history.blobs.add(sha, "x".repeat(8)), sent());
  expect([added("a"), sent(), added("b"), added("a"), sent()]).toEqual([["a"], [], ["b"], ["a"], []]);
});

test("History keeps 10,000 steps of an agent that calls a tool in each iteration, so that the other limit does not apply first", async () => {
  const look = {
    text: "I look.",
    calls: [{ name: "look" }],
    usage: { inputTokens: 1_000, outputTokens: 20 },
  };
  const model = scriptedModel([...Array.from({ length: 15 }, () => look), "Nothing."]);
  const agent = createAgent({ name: "bot", model, tools: [toolOf("look", () => "seen")], maxIters: 20 });
  const run = new WatchedRun(agent.sessionId, () => {});
  run.attach(agent);
  await agent.call("Look.");
  run.write();
  const steps = keptSteps(run.history)
    .filter(({ q }) => q > 3 && q <= 33)
    .map((each) => JSON.stringify(each));
  const history = new History();
  for (let q = 1; q <= 10_000; q++) {
    history.push(steps[q % steps.length]!);
    history.settle(() => () => ({}));
  }
  expect(history.first).toBe(1);
});

test("of more configurations than it keeps only the outermost state is told", () => {
  const history = new History();
  const places = Array.from({ length: 20_000 }, (_, at) => history.stateOf(["many", `many.${at}`]));
  expect(history.states.length).toBe(5_001);
  expect([places[4_999], places[5_000], places.at(-1), history.leavesOutStates]).toEqual([
    4_999,
    5_000,
    5_000,
    true,
  ]);
  expect([history.states[5_000], history.stateOf(["many", "many.7"])]).toEqual([["many"], 7]);
});
