// Workers of the next release.
import { describe, expect, test } from "vitest";
import { defineTool, type AgentEvent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { createWorker, inProcessQueue, type WorkerAgents } from "agentchart/worker";
import { bench, echoModel, ofType } from "./kit.ts";

/** A release of an agent whose tool asks for an approval. */
function release(
  description: string,
  paid: string[] = [],
  onChangedAgent?: "adopt" | "pin" | "hold",
): WorkerAgents {
  const pay = defineTool({
    name: "pay",
    description,
    input: { type: "object" },
    permission: "ask",
    execute: () => {
      paid.push(description);
      return "paid";
    },
  });
  const config = {
    name: "desk",
    model: echoModel,
    tools: [pay],
    ...(onChangedAgent && { sessionOptions: { onChangedAgent } }),
  };
  return { desk: () => config };
}

/** A session whose call of `pay` waits, and the queue and store that it is in; its worker is closed. */
async function waiting() {
  const [store, queue] = [memoryStore(), inProcessQueue()];
  const old = await bench({ store, queue, agents: release("v1") });
  await old.dispatcher.dispatch("s", "call pay", { agent: "desk" });
  await expect.poll(async () => (await old.dispatcher.status("s")).phase).toBe("suspended");
  await expect.poll(() => old.worker.stats().running).toBe(0);
  await old.worker.close();
  const { pending } = await old.dispatcher.status("s");
  return { store, queue, dispatcher: old.dispatcher, callId: pending[0]!.callId };
}

describe("a worker of the next release", () => {
  test("asks again for an approval, and takes no decision that was made before", async () => {
    const { store, queue, dispatcher, callId } = await waiting();
    await dispatcher.decide("s", callId, "approve"); // seen by nobody yet
    const paid: string[] = [];
    const next = await bench({ store, queue, agents: release("v2", paid) });
    const events: AgentEvent[] = [];
    const ended = (async () => {
      for await (const event of dispatcher.subscribe("s")) {
        events.push(event);
        if (event.type === "turn.end" && event.reason === "MODEL_STOP") return;
      }
    })();
    await expect
      .poll(() => ofType(next, "input.refused"))
      .toMatchObject([{ error: { code: "run/stale-decision" } }]);
    await expect
      .poll(async () => (await dispatcher.status("s")).pending)
      .toMatchObject([{ callId, reason: "Tool 'pay' has changed since its approval was asked for." }]);
    expect(paid).toEqual([]);
    await dispatcher.decide("s", callId, "approve");
    await ended;
    expect(paid).toEqual(["v2"]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "agent.changed",
        change: expect.objectContaining({ changed: ["pay"] }),
      }),
    );
  });

  test("goes on with a turn whose tool is gone", async () => {
    const { store, queue, dispatcher, callId } = await waiting();
    await bench({ store, queue, agents: { desk: () => ({ name: "desk", model: echoModel }) } });
    await dispatcher.decide("s", callId, "approve");
    await expect.poll(async () => (await dispatcher.status("s")).reason).toBe("MODEL_STOP");
  });

  test("leaves a pinned session to the old one", async () => {
    const { store, queue, dispatcher, callId } = await waiting();
    const [oldPaid, newPaid]: [string[], string[]] = [[], []];
    const next = await bench({ store, queue, agents: release("v2", newPaid, "pin") });
    await dispatcher.decide("s", callId, "approve");
    await expect
      .poll(() => ofType(next, "session.putBack").at(0))
      .toMatchObject({
        sessionId: "s",
        why: "pinned",
        error: { code: "session/agent-changed" },
      });
    const old = createWorker({ store, queue, agents: release("v1", oldPaid), sweepMs: 100, retryMs: 20 });
    await old.start();
    await expect.poll(async () => (await dispatcher.status("s")).reason).toBe("MODEL_STOP");
    expect([oldPaid, newPaid]).toEqual([["v1"], []]);
    await old.close();
  });

  test("holds a session for a person, and adopts it when that person says so", async () => {
    const { store, queue, dispatcher, callId } = await waiting();
    const paid: string[] = [];
    const next = await bench({ store, queue, agents: release("v2", paid, "hold") });
    await dispatcher.decide("s", callId, "approve");
    await expect.poll(() => ofType(next, "session.quarantined")).toHaveLength(1);
    expect(await dispatcher.status("s")).toMatchObject({
      phase: "quarantined",
      quarantine: { reason: expect.stringContaining("another release of agent 'desk'") },
    });
    await expect.poll(() => dispatcher.retry("s").catch(() => false)).toBe(true);
    await expect
      .poll(async () => (await dispatcher.status("s")).pending)
      .toMatchObject([{ callId, reason: expect.stringContaining("has changed") }]);
    await dispatcher.decide("s", callId, "approve");
    await expect.poll(async () => (await dispatcher.status("s")).reason).toBe("MODEL_STOP");
    expect(paid).toEqual(["v2"]);
    expect(ofType(next, "session.quarantined")).toHaveLength(1);
  });
});
