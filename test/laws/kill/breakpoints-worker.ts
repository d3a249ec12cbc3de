// A session with breakpoints, which is killed at any append: each life goes on where the one before was stopped or cut off.
import { appendFileSync, readFileSync } from "node:fs";
import {
  AgentError,
  createAgent,
  defineHook,
  defineTool,
  type Agent,
  type ChatModel,
  type StreamPart,
} from "agentchart";
import { breakpoints, type Breakpoint } from "agentchart/inspect";
import { openStore } from "../../support/open-store.ts";
import { dyingStore, LEASE_MS } from "./dying-store.ts";
import type { Orders } from "./live.ts";

const orders = JSON.parse(process.argv[2]!) as Orders & { readonly conditions?: readonly Breakpoint[] };
const real = await openStore(orders.store);
const { store, appends } = dyingStore(real, orders.dieAt);
const note = (line: string): void => appendFileSync(orders.ledger, `${line}\n`);

const tools = ["look", "refund"].map((name) =>
  defineTool({
    name,
    description: name,
    input: { type: "object" },
    onRestart: "ask",
    execute: (_, { callId }) => {
      note(`ran ${callId}`);
      return "done";
    },
  }),
);

const hook = defineHook({
  name: "stamps",
  postActing: ({ call: { name } }) =>
    name === "refund" ? { result: { output: [{ type: "text", text: "stamped" }] } } : {},
});

/** One call below the limit, two beyond it, one that asks for the same again, and one after a request that failed. */
const ROUNDS = [
  [["look", {}] as const, ["refund", { cents: 10 }] as const],
  [["refund", { cents: 9_000 }] as const, ["look", { at: 1 }] as const],
  [["refund", { cents: 10 }] as const],
  [["look", { at: 2 }] as const],
] as const;
const FAILS = 3;
/** The request fails once, in whichever life. */
const hasFailed = (): boolean => readFileSync(orders.ledger, "utf8").includes("failed");

const model: ChatModel = {
  name: "clerk",
  stream: async function* ({ messages }): AsyncGenerator<StreamPart> {
    const round = messages.filter(({ role }) => role === "assistant").length;
    const calls = ROUNDS[round] ?? [];
    note(`asked ${round}`);
    if (round === FAILS && !hasFailed()) {
      note("failed");
      throw new AgentError("model/unavailable", "Down.", { isRetryable: true });
    }
    if (calls.length === 0) yield { type: "text.delta", delta: "over" };
    for (const [key, [name, input]] of calls.entries())
      yield { type: "tool.delta", key, id: `c${round}.${key}`, name, args: JSON.stringify(input) };
    yield { type: "usage", usage: { inputTokens: 99, outputTokens: 1 } };
    yield { type: "finish", reason: calls.length > 0 ? "tool_calls" : "stop" };
  },
};

async function finish(agent: Agent): Promise<void> {
  await agent.open({ waitMs: 10_000 });
  const { revision } = await agent.slots.get(breakpoints);
  if (revision === 0)
    await agent.slots.set(
      breakpoints,
      orders.conditions ?? [
        { tool: "refund", where: [{ path: "cents", is: ">", value: 5_000 }] },
        { tool: "refund", same: 2 },
        { state: "reasoning.backingOff" },
      ],
    );
  if ((await agent.messages()).length === 0) await agent.call("go", { idempotencyKey: "go" });
  for (;;) {
    const { phase, pending, waitsFor } = agent.status();
    if (waitsFor.includes("breakpoint"))
      note(`held ${(await agent.messages()).filter(({ role }) => role === "assistant").length}`);
    for (const { callId, waitsFor, decided } of pending) {
      if (decided) continue;
      const isStop = waitsFor === "approval";
      note(`${isStop ? "approved" : "repeated"} ${callId}`);
      await agent.decide(callId, isStop ? "approve" : "retry");
    }
    if (phase === "stopped" && (await agent.messages()).at(-1)?.role === "assistant") return;
    await agent.call(phase === "stopped" && agent.status().reason === undefined ? "go" : undefined);
  }
}

const agent = createAgent({
  name: "desk",
  model,
  tools,
  hooks: [hook],
  modelOptions: {
    prices: { clerk: { input: 10_000, output: 10_000 } },
    execution: { maxAttempts: 3, initialBackoffMs: 0 },
  },
  parallelToolCalls: true,
  store,
  sessionId: orders.sessionId,
  sessionOptions: { leaseMs: LEASE_MS },
}) as Agent;
await finish(agent);
await agent.close();
await real.close();
process.stdout.write(`DONE ${appends()} over\n`);
