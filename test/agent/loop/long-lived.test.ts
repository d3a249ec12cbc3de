// Agents that live long hold nothing of their former calls.
import { expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";

const noop = defineTool({ name: "noop", description: "", input: { type: "object" }, execute: () => "ok" });
const twoCalls = { calls: [{ name: "noop" }, { name: "noop" }] };

test("the names of actors stay the same few however many calls have run, because XState keeps them for ever", async () => {
  const names = new Set<string>();
  const rounds = 20;
  const model = scriptedModel([...Array.from({ length: rounds }, () => twoCalls), "Done."]);
  const agent = createAgent({
    name: "bot",
    model,
    tools: [noop],
    maxIters: rounds + 1,
    inspect: ({ type, actorRef }) => {
      if (type === "@xstate.actor" && "id" in actorRef) names.add(String(actorRef.id));
    },
  });
  expect((await agent.call("go")).turn.toolCalls).toBe(2 * rounds);
  expect([...names].filter((name) => name.startsWith("tool."))).toEqual(["tool.noop.1", "tool.noop.2"]);
  await agent.close();
});

test("a time-out of Infinity never ends a call", async () => {
  const endless = { timeoutMs: Number.POSITIVE_INFINITY, idleTimeoutMs: Number.POSITIVE_INFINITY };
  let deadlineAt = 0;
  const ask = defineTool({
    name: "ask",
    description: "",
    input: { type: "object" },
    execute: async (_, ctx) => {
      ({ deadlineAt } = ctx);
      await new Promise(setImmediate);
      return "ok";
    },
  });
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([{ calls: [{ name: "ask" }] }, "Done."]),
    tools: [ask],
    modelOptions: { execution: endless },
    toolOptions: { execution: endless },
  });
  const reply = await agent.call("go", { timeoutMs: Number.POSITIVE_INFINITY });
  expect([reply.text, deadlineAt]).toEqual(["Done.", Number.POSITIVE_INFINITY]);
  await agent.close();
});
