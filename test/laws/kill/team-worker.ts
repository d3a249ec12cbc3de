import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, textOf, type Agent, type ChatModel, type Decision, type PendingCall } from "agentchart";
import { openSession } from "agentchart/session";
import { agentTool } from "agentchart/team";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
import { openStore } from "../../support/open-store.ts";
import { outputOf, resultsOf, toolOf } from "../../support/agents.ts";
import { dyingStore, LEASE_MS } from "./dying-store.ts";
import type { Orders } from "./live.ts";

const orders = JSON.parse(process.argv[2]!) as Orders;
const real = await openStore(orders.store);
const { store, appends } = dyingStore(real, orders.dieAt);
const note = (line: string): void => appendFileSync(orders.ledger, `${line}\n`);

/** A model that is a function of the history: asked again, in any process, it says the same. */
function calling(...calls: readonly (readonly [id: string, name: string])[]): ChatModel {
  return {
    name: "clerk",
    async *stream({ messages }) {
      const results = resultsOf(messages);
      if (results.length > 0) yield { type: "text.delta", delta: `(${results.map(outputOf).join(" ")})` };
      else
        for (const [key, [id, name]] of calls.entries())
          yield { type: "tool.delta", key, id, name, args: '{"message":"do it"}' };
      yield { type: "finish", reason: "stop" };
    },
  };
}

/** A tool that takes effect once it runs, and is not repeated unless a person says so. */
const wipe = toolOf("wipe", (_, { idempotencyKey }) => (note(`wipe ${idempotencyKey}`), "wiped"), {
  permission: "ask",
});
const cleaner = { name: "cleaner", model: calling(["c9", "wipe"]), tools: [wipe] };
const boss = { name: "boss", model: calling(["c7", "call_cleaner"]), tools: [agentTool({ agent: cleaner })] };

const desk = {
  name: "desk",
  model: calling(["a", "call_boss"], ["b", "call_cleaner"]),
  tools: [agentTool({ agent: boss }), agentTool({ agent: cleaner })],
  parallelToolCalls: true,
};

/** The leases of the life before may still hold: it died without releasing them. */
async function openWhenFree(): Promise<Agent> {
  const { sessionId } = orders;
  for (;;) {
    const agent = createAgent({ ...desk, store, sessionId, sessionOptions: { leaseMs: LEASE_MS } });
    try {
      await agent.open({ waitMs: 10_000 });
      return agent;
    } catch (error) {
      if ((error as { code?: string }).code !== "session/lease-lost") throw error;
    }
  }
}

type Decide = (callId: string, decision: Decision, argsHash: string) => Promise<unknown>;

/** Decides everything that is open, at any depth. A call that may have taken effect is not repeated, which is noted. */
async function decideAll(pending: readonly PendingCall[], decide: Decide): Promise<void> {
  for (const { callId, argsHash, waitsFor, decided } of pending) {
    if (decided) continue;
    if (waitsFor === "unknownOutcome") note(`unknown ${orders.sessionId}/${callId}`);
    await decide(callId, waitsFor === "unknownOutcome" ? { answer: "wiped" } : "approve", argsHash);
  }
}

/** Goes on until the answer is there: a process whose lease was not renewed in time opens the session again. */
async function answer(): Promise<string> {
  for (;;) {
    const agent = await openWhenFree();
    try {
      if ((await agent.messages()).length === 0) await agent.call("Wipe.");
      while (agent.status().phase !== "stopped") {
        const { pending } = agent.status();
        await decideAll(pending, (callId, decision, argsHash) =>
          agent.decide(callId, decision, { argsHash }),
        );
        await agent.call();
      }
      const last = (await agent.messages()).at(-1)!;
      await agent.close();
      return textOf(last);
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "session/lease-lost") throw error;
    }
  }
}

/** As {@link answer}, by a worker. */
async function answerByWorker(): Promise<string> {
  const { sessionId } = orders;
  const queue = inProcessQueue();
  const agents = { desk: () => desk };
  const worker = createWorker({ queue, store, agents, leaseMs: LEASE_MS, sweepMs: 50, retryMs: 50 });
  const dispatcher = createDispatcher({ queue, store: real });
  await worker.start();
  await dispatcher.dispatch(sessionId, "Wipe.", { agent: "desk", idempotencyKey: "wipe" });
  for (;;) {
    const { phase, seq, inputs, pending } = await dispatcher.status(sessionId);
    if (phase === "stopped" && seq > 0 && inputs === 0) break;
    await decideAll(pending, (callId, decision, argsHash) => {
      const key = { idempotencyKey: `${callId} ${JSON.stringify(decision)}` };
      return dispatcher.decide(sessionId, callId, decision, { argsHash, ...key });
    });
    await sleep(20);
  }
  await worker.close();
  await queue.close();
  return textOf((await (await openSession(real, sessionId)).at()).messages.at(-1)!);
}

const text = await (orders.hasWorker ? answerByWorker() : answer());
await real.close();
process.stdout.write(`DONE ${appends()} ${text}\n`);
