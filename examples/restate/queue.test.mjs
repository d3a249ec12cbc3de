// The queue over Restate keeps the contract of queues, and a worker runs a session with it.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryStore } from "agentchart/store/memory";
import { queueContract, scriptedModel } from "agentchart/testing";
import { createDispatcher, createWorker } from "agentchart/worker";
import { restateTransport } from "./restate-queue.mjs";
import { startRestate } from "./start-restate.mjs";

const server = await startRestate();
after(() => server.stop());

let count = 0;
const transport = () => restateTransport({ ...server, name: `session${++count}` });

queueContract(
  "Restate",
  async () => {
    const { open, close } = await transport();
    return { open, dispose: close };
  },
  { describe, test },
);

test("a worker answers what a dispatcher has sent", { timeout: 30_000 }, async () => {
  const { open, close } = await transport();
  const store = memoryStore();
  const backend = { store, queue: open() };
  const agents = { desk: () => ({ name: "desk", model: scriptedModel(["Hello."]) }) };
  const worker = createWorker({ ...backend, agents, sweepMs: 0 }); // woken by Restate alone
  await worker.start();
  const dispatcher = createDispatcher(backend);
  await dispatcher.dispatch("ada", "Hi", { agent: "desk" });
  while ((await dispatcher.status("ada")).reason !== "MODEL_STOP") await sleep(20);
  await worker.close();
  assert.equal((await dispatcher.status("ada")).phase, "stopped");
  await backend.queue.close();
  await close();
});
