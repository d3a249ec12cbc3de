import { expect, onTestFinished, test } from "vitest";
import { longTermMemory, memoryMemory, type MemoryStore } from "agentchart/memory";
import { scriptedModel } from "agentchart/testing";
import { createWorker } from "agentchart/worker";
import { createSession, openServer } from "../server/open-server.ts";

test("a worker releases a session when what was said in it is remembered, and not before", async () => {
  const server = openServer();
  const kept = memoryMemory();
  onTestFinished(() => kept.close());
  const hasBegun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const store: MemoryStore = {
    ...kept,
    put: async (...args) => {
      hasBegun.resolve();
      await goOn.promise;
      return kept.put(...args);
    },
  };
  const memory = longTermMemory({
    store,
    scope: () => "acme/ada",
    mode: "static",
    record: { when: "later" },
  });
  const agents = { desk: () => ({ name: "desk", model: scriptedModel(["Hello."]), hooks: [memory] }) };
  const ended: string[] = [];
  const worker = createWorker({ queue: server.queue, store: server.store, agents });
  worker.subscribe((event) => event.type === "session.end" && ended.push(event.phase));
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const id = await createSession(server);
  await hasBegun.promise;
  const session = (await (await server.request("GET", `/v1/sessions/${id}`)).json()) as object;
  expect(session).toMatchObject({ phase: "stopped" });
  expect(ended).toEqual([]);
  goOn.resolve();
  await expect.poll(() => ended).toEqual(["stopped"]);
  expect((await kept.list("acme/ada")).memories).toHaveLength(2);
});
