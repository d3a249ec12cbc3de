// A session with rules whose model asks for what they forbid, and whose operator lets everything be repeated.
import { appendFileSync } from "node:fs";
import { createAgent, defineTool, type Agent, type ChatModel, type StreamPart } from "agentchart";
import { atMost, before } from "agentchart/rules";
import { openStore } from "../../support/open-store.ts";
import { dyingStore, LEASE_MS } from "./dying-store.ts";
import type { Orders } from "./live.ts";

const orders = JSON.parse(process.argv[2]!) as Orders;
const real = await openStore(orders.store);
const { store, appends } = dyingStore(real, orders.dieAt);

const tools = ["verify", "payout"].map((name) =>
  defineTool({
    name,
    description: name,
    input: { type: "object" },
    onRestart: "ask",
    execute: (_, { callId }) => {
      appendFileSync(orders.ledger, `${name} ${callId}\n`);
      return "done";
    },
  }),
);

/** Asks three times for payouts, before and beside the verification, whatever it was answered. */
const ROUNDS: readonly (readonly string[])[] = [
  ["payout"],
  ["payout", "verify", "payout"],
  ["payout", "payout"],
];
const model: ChatModel = {
  name: "hostile",
  stream: async function* ({ messages }): AsyncGenerator<StreamPart> {
    const round = messages.filter(({ role }) => role === "assistant").length;
    const names = ROUNDS[round] ?? [];
    if (names.length === 0) yield { type: "text.delta", delta: "over" };
    for (const [key, name] of names.entries())
      yield { type: "tool.delta", key, id: `c${round}.${key}`, name, args: "{}" };
    yield { type: "finish", reason: names.length > 0 ? "tool_calls" : "stop" };
  },
};

async function finish(agent: Agent): Promise<void> {
  await agent.open({ waitMs: 10_000 });
  if (agent.status().seq < 5) await agent.call("pay!", { idempotencyKey: "pay" });
  for (;;) {
    const { phase, pending } = agent.status();
    for (const { callId } of pending) await agent.decide(callId, "retry");
    if (phase === "stopped" && (await agent.messages()).at(-1)?.role === "assistant") return;
    await agent.call(phase === "stopped" && agent.status().reason === undefined ? "pay!" : undefined);
  }
}

const agent = createAgent({
  name: "desk",
  model,
  tools,
  rules: [before("verify", "payout"), atMost(1, "payout")],
  parallelToolCalls: true,
  store,
  sessionId: orders.sessionId,
  sessionOptions: { leaseMs: LEASE_MS },
}) as Agent;
await finish(agent);
await agent.close();
await real.close();
process.stdout.write(`DONE ${appends()} over\n`);
