// Breakpoints of a session that workers drive.
import { expect, onTestFinished, test } from "vitest";
import { AgentError, defineTool } from "agentchart";
import { breakpoints, findBreaks } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { createWorker, inProcessQueue } from "agentchart/worker";
import { toolOf } from "../support/agents.ts";
import { bench } from "./kit.ts";

const down = { error: new AgentError("model/unavailable", "Down.", { isRetryable: true }) };
const look = (id: string) => ({ calls: [{ id, name: "look", input: {} }] });

test("a breakpoint on a state stops a session in one worker, and another one goes on with it", async () => {
  const [store, queue] = [memoryStore(), inProcessQueue()];
  const ran: string[] = [];
  // each worker has the part of the script that the session needs there
  const agents = (name: string, turns: Parameters<typeof scriptedModel>[0]) => {
    const model = scriptedModel(turns);
    const execute = (_: unknown, { callId }: { readonly callId: string }) => {
      ran.push(`${name} ${callId}`);
      return "ok";
    };
    const tools = [defineTool({ name: "look", description: "Looks.", input: { type: "object" }, execute })];
    const modelOptions = { execution: { maxAttempts: 2, initialBackoffMs: 0 } };
    return { desk: () => ({ name: "desk", model, modelOptions, tools }) };
  };
  const { dispatcher, worker } = await bench({
    store,
    queue,
    agents: agents("first", ["hello", look("a"), down, look("b")]),
  });
  await dispatcher.dispatch("s", "hi", { agent: "desk" });
  await expect.poll(async () => (await dispatcher.status("s")).phase).toBe("stopped");
  await dispatcher.setSlot("s", breakpoints.name, [{ state: "reasoning.backingOff" }]);
  await dispatcher.dispatch("s", "go", { agent: "desk" });
  await expect.poll(async () => (await dispatcher.status("s")).phase).toBe("suspended");
  const [call] = (await dispatcher.status("s")).pending ?? [];
  expect(call).toMatchObject({ callId: "b", waitsFor: "approval" });
  expect(call!.reason).toMatch(/^Breakpoint: state reasoning\.backingOff \(.*, position \d+\)$/u);
  await worker.close({ deadlineMs: 500 });

  const second = createWorker({ store, queue, agents: agents("second", ["done"]), sweepMs: 100, pollMs: 20 });
  onTestFinished(() => second.close({ deadlineMs: 500 }));
  await second.start();
  await dispatcher.decide("s", "b", "approve");
  await expect.poll(async () => (await dispatcher.status("s")).phase).toBe("stopped");
  expect(ran).toEqual(["first a", "second b"]);
  const found = await findBreaks(store, "s", [{ state: "reasoning.backingOff" }]);
  expect(found).toMatchObject([{ callId: "b", step: { edge: "reasoning.calling → reasoning.backingOff" } }]);
});

test("a breakpoint before a request holds a session that a user writes to, until somebody has it go on", async () => {
  const [store, queue] = [memoryStore(), inProcessQueue()];
  const model = scriptedModel(["hello", look("a"), "done", "and again"]);
  const asked = (): number => model.requests.length;
  const tools = [toolOf("look", () => "ok")];
  const { dispatcher, worker } = await bench({
    store,
    queue,
    agents: { desk: () => ({ name: "desk", model, tools }) },
  });
  await dispatcher.dispatch("s", "hi", { agent: "desk" });
  await expect.poll(async () => (await dispatcher.status("s")).phase).toBe("stopped");
  await dispatcher.setSlot("s", breakpoints.name, [{ edge: { from: "acting", to: "reasoning" } }]);
  await dispatcher.dispatch("s", "go", { agent: "desk" });
  await expect.poll(async () => (await dispatcher.status("s")).phase).toBe("suspended");
  expect(await dispatcher.status("s")).toMatchObject({
    reason: "BREAKPOINT",
    waitsFor: ["breakpoint"],
    pending: [],
  });
  expect((await dispatcher.status("s")).wakeAt).toBeUndefined();
  await dispatcher.dispatch("s", "are you there?", { agent: "desk" });
  await worker.close({ deadlineMs: 500 });

  const second = createWorker({
    store,
    queue,
    agents: { desk: () => ({ name: "desk", model, tools }) },
    sweepMs: 20,
    pollMs: 20,
  });
  onTestFinished(() => second.close({ deadlineMs: 500 }));
  await second.start();
  await dispatcher.dispatch("other", "hi", { agent: "nobody" }).catch(() => {});
  expect(asked()).toBe(2);
  await dispatcher.dispatch("s", undefined, { agent: "desk" });
  await expect.poll(async () => (await dispatcher.status("s")).inputs).toBe(0);
  await expect.poll(async () => (await dispatcher.status("s")).phase).toBe("stopped");
  expect(asked()).toBe(4);
  const found = await findBreaks(store, "s", [{ edge: { from: "acting", to: "reasoning" } }]);
  expect(found).toMatchObject([{ turn: 2, step: { edge: "acting.deciding → reasoning.checkingLimits" } }]);
  expect(found[0]).not.toHaveProperty("callId");
});
