// The metric of suspended sessions.
import { expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { suspendedCounter } from "../../src/cli/workers/worker-metrics.ts";
import { memoryStore } from "../../src/store/memory.ts";

const ask = defineTool({ name: "ask", description: "Asks a clerk.", input: { type: "object" } });

test("suspendedCounter() counts again after 30 s, and resolves with NaN while the store fails", async () => {
  const store = memoryStore();
  let now = 0;
  const count = suspendedCounter(store, () => now);
  const suspend = async (sessionId: string): Promise<void> => {
    const model = scriptedModel([{ calls: [{ name: "ask" }] }]);
    const agent = createAgent({ name: "desk", model, tools: [ask], store, sessionId });
    await agent.call("Go.");
    await agent.close();
  };
  const done = createAgent({ name: "desk", model: scriptedModel(["Done."]), store, sessionId: "done" });
  await done.call("Go.");
  await done.close();
  await suspend("a");
  expect(await count()).toBe(1);
  await suspend("b");
  expect(await count()).toBe(1);
  now = 30_000;
  expect(await count()).toBe(2);
  await store.close();
  now = 60_000;
  expect(await count()).toBeNaN();
});
