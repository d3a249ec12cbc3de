// Sessions inside of calls.
import { describe, expect, onTestFinished, test } from "vitest";
import type { ChatModel } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { agentTool } from "agentchart/team";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
import { outputOf, resultsOf, toolOf } from "../support/agents.ts";

/** A model that is a function of the history, so that any worker may go on. */
function calling(id: string, name: string): ChatModel {
  return {
    name: "clerk",
    async *stream({ messages }) {
      const results = resultsOf(messages);
      if (results.length > 0) yield { type: "text.delta", delta: `Did ${results.map(outputOf).join(", ")}.` };
      else yield { type: "tool.delta", key: 0, id, name, args: '{"message":"do it"}' };
      yield { type: "finish", reason: "stop" };
    },
  };
}

/** A worker whose agent calls another one, which asks before it pays. */
function office() {
  const backend = { queue: inProcessQueue(), store: memoryStore() };
  const paid: string[] = [];
  const opened: string[] = [];
  const pay = toolOf("pay", (_, { idempotencyKey }) => (paid.push(idempotencyKey), "paid"), {
    permission: "ask",
  });
  const clerk = agentTool({ agent: { name: "clerk", model: calling("c2", "pay"), tools: [pay] } });
  const desk = { name: "desk", model: calling("c1", "call_clerk"), tools: [clerk], meta: { tenant: "acme" } };
  const worker = createWorker({ ...backend, agents: { desk: () => desk }, sweepMs: 10, pollMs: 10 });
  worker.subscribe((event) => {
    if (event.type === "session.start" || event.type === "session.unknown") opened.push(event.sessionId);
  });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  return { ...backend, worker, paid, opened, dispatcher: createDispatcher(backend) };
}

describe("a session inside of a call", () => {
  test("is decided through its parent, which the worker drives, and found by the parent's labels", async () => {
    const { store, worker, dispatcher, paid } = office();
    await worker.start();
    await dispatcher.dispatch("p", "go", { agent: "desk" });
    await expect.poll(async () => (await dispatcher.status("p")).phase).toBe("suspended");
    const { pending } = await dispatcher.status("p");
    expect(pending).toMatchObject([{ callId: "c1/c2", path: ["call_clerk"], waitsFor: "approval" }]);
    await dispatcher.decide("p", "c1/c2", "approve", { argsHash: pending[0]!.argsHash });
    await expect.poll(async () => (await dispatcher.status("p")).phase).toBe("stopped");
    expect(paid).toEqual(["p/c1/c2"]);
    const { sessions } = await store.list({ meta: { tenant: "acme" } });
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["p", "p/c1"]);
  });

  test("is never taken by a worker itself, even if it was cut off", async () => {
    const { store, worker, dispatcher, opened } = office();
    const meta = { parent: { sessionId: "gone", callId: "c1" }, agent: "desk" };
    for (const [sessionId, more] of [
      ["gone/c1", { meta }],
      ["own", { meta: { agent: "desk" } }],
    ] as const) {
      const lease = (await store.acquire(sessionId, { owner: "dead", ttlMs: 60_000 }))!;
      const position = { phase: "unfinished", ...more };
      await store.append(sessionId, { expectedSeq: 0, fence: lease.fence, entries: [], position });
      await store.release(lease);
    }
    expect((await store.listDue({ before: Date.now() })).sessionIds).toContain("gone/c1");
    await worker.start();
    await expect.poll(() => opened).toContain("own"); // the sweep has seen both
    await dispatcher.dispatch("later", "go", { agent: "desk" });
    await expect.poll(() => opened).toContain("later");
    expect(opened).not.toContain("gone/c1");
  });
});
