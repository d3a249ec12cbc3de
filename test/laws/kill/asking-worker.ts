import { appendFileSync } from "node:fs";
import { createAgent, defineTool, suspend, type Agent, type ChatModel, type Resumed } from "agentchart";
import { openStore } from "../../support/open-store.ts";
import { outputOf, resultsOf } from "../../support/agents.ts";
import { dyingStore, LEASE_MS } from "./dying-store.ts";
import type { Orders } from "./live.ts";

const orders = JSON.parse(process.argv[2]!) as Orders;
const real = await openStore(orders.store);
const { store, appends } = dyingStore(real, orders.dieAt);
const note = (line: string): void => appendFileSync(orders.ledger, `${line}\n`);

const ASKS = [["city", "nights"], ["card"]] as const;

/** What the call remembers: every answer so far. */
function answersUntil(resumed: Resumed | undefined): { readonly [id: string]: string } {
  const { state, answers = {} } = resumed ?? {};
  const now = Object.entries(answers).map(([id, answer]) => [id, JSON.stringify(answer)]);
  return { ...(state as object), ...(Object.fromEntries(now) as object) };
}

/** A tool that asks twice, and notes each of its runs. A run that was cut off may have taken effect. */
const book = defineTool({
  name: "book",
  description: "Books a room.",
  input: { type: "object" },
  onRestart: "ask",
  execute: (_, { resumed }) => {
    const round = resumed?.round ?? 0;
    note(`run ${round}`);
    const state = answersUntil(resumed);
    if (round >= ASKS.length) return JSON.stringify(state);
    const asks = ASKS[round]!.map((id) => ({ id, kind: "question", message: `${id}?` }) as const);
    return suspend("it asks", { then: "resume", state, asks });
  },
});

/** A model that is a function of the history: asked again, in any process, it says the same. */
const model: ChatModel = {
  name: "clerk",
  async *stream({ messages }) {
    if (resultsOf(messages).length > 0) yield { type: "text.delta", delta: "Booked." };
    else yield { type: "tool.delta", key: 0, id: "call_1", name: "book", args: "{}" };
    yield { type: "finish", reason: "stop" };
  },
};

/** The lease of the life before may still hold: it died without releasing it. */
async function openWhenFree(): Promise<Agent> {
  const { sessionId } = orders;
  for (;;) {
    const agent = createAgent({
      name: "bot",
      model,
      tools: [book],
      store,
      sessionId,
      sessionOptions: { leaseMs: LEASE_MS },
    });
    try {
      await agent.open({ waitMs: 10_000 });
      return agent;
    } catch (error) {
      if ((error as { code?: string }).code !== "session/lease-lost") throw error;
    }
  }
}

/** Answers everything that is open; a run that may have taken effect runs again, which is noted. */
async function answerAll(agent: Agent): Promise<void> {
  for (const { callId, waitsFor, decided } of agent.status().pending) {
    if (decided) continue;
    if (waitsFor === "unknownOutcome") note("unknown");
    await agent.decide(callId, waitsFor === "unknownOutcome" ? "retry" : { respond: callId });
  }
}

const agent = await openWhenFree();
if ((await agent.messages()).length === 0) await agent.call("Book a room.");
while (agent.status().phase !== "stopped") {
  await answerAll(agent);
  await agent.call();
}
const result = outputOf(resultsOf(await agent.messages())[0]);
await agent.close();
await real.close();
process.stdout.write(`DONE ${appends()} ${result}\n`);
