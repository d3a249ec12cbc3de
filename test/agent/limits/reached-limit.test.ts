// What a person is told of a limit that was reached.
import { expect, test } from "vitest";
import { createAgent, type AgentConfig, type AgentEvent } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { eventsOf, toolOf } from "../../support/agents.ts";

const asks = { calls: [{ id: "c", name: "look", input: {} }] };

async function limitsIn(events: AsyncIterable<AgentEvent>): Promise<readonly unknown[]> {
  return (await eventsOf(events)).flatMap((event) => (event.type === "turn.end" ? [event.limit] : []));
}

test.each<[string, Partial<AgentConfig>, object]>([
  ["stops", { budget: { modelCalls: 1, onExceeded: "stop" } }, { name: "modelCalls", allowed: 1, used: 1 }],
  ["suspends", { budget: { modelCalls: 1 } }, { name: "modelCalls", allowed: 1, used: 1 }],
  ["sums up", { maxIters: 1 }, { name: "maxIters", allowed: 1, used: 1 }],
])("a turn that %s at a limit says which, live and stored", async (_, config, limit) => {
  const store = memoryStore();
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([asks, "That is all."]),
    tools: [toolOf("look", () => "found")],
    store,
    sessionId: "s",
    ...config,
  });
  expect(await limitsIn(agent.stream("go"))).toEqual([limit]);
  await agent.close();
  expect(await limitsIn((await openSession(store, "s")).events())).toEqual([limit]);
});
