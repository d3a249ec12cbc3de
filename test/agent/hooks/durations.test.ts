// The duration of a call as hooks are told it.
import { expect, test } from "vitest";
import { defineTool, type Hook } from "agentchart";
import { scriptedModel } from "agentchart/testing";
// Not as "agentchart": what has run in another process has no duration, so that this is not run with kills.
import { createAgent } from "../../../src/index.ts";

let time = 0;
const seen: (readonly [string, number | undefined])[] = [];
const watch: Hook = {
  name: "watch",
  postActing: ({ call, durationMs }) => void seen.push([call.name, durationMs]),
};

function agentOf(calls: readonly { readonly name: string }[]) {
  const tools = [
    defineTool({
      name: "slow",
      description: "Takes time.",
      input: { type: "object" },
      execute: () => ((time += 250), "ok"),
    }),
    defineTool({
      name: "flaky",
      description: "Fails once.",
      input: { type: "object" },
      execution: { maxAttempts: 2, initialBackoffMs: 0 },
      execute: (_, { attempt }) => {
        time += attempt === 1 ? 900 : 40;
        if (attempt === 1) throw new Error("again");
        return "ok";
      },
    }),
    defineTool({ name: "outside", description: "Runs elsewhere.", input: { type: "object" } }),
  ];
  time = 1_000;
  seen.length = 0;
  const model = scriptedModel([{ calls: calls.map((call) => ({ input: {}, ...call })) }, "done"]);
  return createAgent({ name: "a", model, tools, hooks: [watch], sessionOptions: { now: () => time } });
}

test("a hook at postActing is told how long the last attempt of the call took", async () => {
  await agentOf([{ name: "slow" }, { name: "flaky" }, { name: "slow" }]).call("go");
  expect(seen).toEqual([
    ["slow", 250],
    ["flaky", 40],
    ["slow", 250],
  ]);
});

test("a hook at postActing is told nothing of the kind of a call that nothing has run", async () => {
  const agent = agentOf([{ name: "outside" }]);
  const { pending } = await agent.call("go");
  time += 5_000;
  await agent.decide(pending[0]!.callId, { answer: "42" });
  await agent.call();
  expect(seen).toEqual([["outside", undefined]]);
});
