import { appendFileSync } from "node:fs";
import { createAgent, textOf, type Agent, type ChatModel } from "agentchart";
import { agentTool } from "agentchart/team";
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

/** The leases of the life before may still hold: it died without releasing them. */
async function openWhenFree(): Promise<Agent> {
  const { sessionId } = orders;
  for (;;) {
    const agent = createAgent({
      name: "desk",
      model: calling(["a", "call_boss"], ["b", "call_cleaner"]),
      tools: [agentTool({ agent: boss }), agentTool({ agent: cleaner })],
      parallelToolCalls: true,
      store,
      sessionId,
      leaseMs: LEASE_MS,
    });
    try {
      await agent.open({ waitMs: 10_000 });
      return agent;
    } catch (error) {
      if ((error as { code?: string }).code !== "session/lease-lost") throw error;
    }
  }
}

/** Decides everything that is open, at any depth. A call that may have taken effect is not repeated, which is noted. */
async function decideAll(agent: Agent): Promise<void> {
  for (const { callId, argsHash, waitsFor, decided } of agent.status().pending) {
    if (decided) continue;
    if (waitsFor === "unknownOutcome") note(`unknown ${orders.sessionId}/${callId}`);
    const decision = waitsFor === "unknownOutcome" ? { answer: "wiped" } : "approve";
    await agent.decide(callId, decision, { argsHash });
  }
}

/** Goes on until the answer is there: a process whose lease was not renewed in time opens the session again. */
async function answer(): Promise<string> {
  for (;;) {
    const agent = await openWhenFree();
    try {
      if ((await agent.messages()).length === 0) await agent.call("Wipe.");
      while (agent.status().phase !== "stopped") {
        await decideAll(agent);
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

const text = await answer();
await real.close();
process.stdout.write(`DONE ${appends()} ${text}\n`);
