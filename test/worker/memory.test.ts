// Long-term memory in workers.
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "agentchart";
import { longTermMemory, memoryMemory, type MemoryStore } from "agentchart/memory";
import { exportSession, importSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { createWorker, inProcessQueue } from "agentchart/worker";
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

test("a worker that takes a session from a dead one remembers its last turn, and asks the model for nothing", async () => {
  const memory = memoryMemory();
  onTestFinished(() => memory.close());
  const hasAnswered = Promise.withResolvers<void>();
  const dying: MemoryStore = { ...memory, put: () => (hasAnswered.resolve(), new Promise(() => {})) };
  const sessions = memoryStore();
  const deskOf = (store: MemoryStore, answers: readonly string[]) => ({
    name: "desk",
    model: scriptedModel(answers),
    hooks: [longTermMemory({ store, scope: () => "acme/ada", mode: "static" })],
  });
  const meta = { agent: "desk" };
  void createAgent({ ...deskOf(dying, ["Hello."]), store: sessions, sessionId: "s", meta }).call("I am Ada.");
  await hasAnswered.promise;
  const store = memoryStore(); // as the dead process has left it
  await importSession(store, exportSession(sessions, "s"));
  const agents = { desk: () => deskOf(memory, []) };
  const worker = createWorker({ queue: inProcessQueue(), store, agents, sweepMs: 50 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  const ended = Promise.withResolvers<string>();
  worker.subscribe((event) => event.type === "session.end" && ended.resolve(event.phase));
  await worker.start();
  expect(await ended.promise).toBe("stopped");
  expect((await memory.list("acme/ada")).memories.map(({ text }) => text)).toEqual(["Hello.", "I am Ada."]);
});
