import assert from "node:assert/strict";
import test from "node:test";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
import { desk } from "./agents.ts";
import { answerOf } from "./answer.ts";

test("a worker answers what is dispatched", async () => {
  const backend = { store: memoryStore(), queue: inProcessQueue() };
  const model = scriptedModel([
    { calls: [{ name: "order_status", input: { orderId: "17" } }] },
    "On its way.",
  ]);
  const worker = createWorker({ ...backend, agents: { desk: () => desk(model) } });
  await worker.start();
  assert.equal(await answerOf(createDispatcher(backend), "s", "Where is order 17?"), "On its way.");
  await worker.close();
  await backend.queue.close();
});
