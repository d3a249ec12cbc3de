import { createAgent, textOf } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { askForSteps, look, SYSTEM } from "../../support/long-talk.ts";
import { openStore } from "../../support/open-store.ts";
import { dyingStore, LEASE_MS } from "./dying-store.ts";
import type { Orders } from "./live.ts";

/** What the model of the session is. */
export type TalkOrders = Orders & {
  readonly baseURL: string;
  readonly window: number;
  readonly rounds: number;
};

/** What a process says at its end: its answer, and between which of its appends prompts were made shorter. */
export type Told = {
  readonly answer: string;
  readonly compactions: readonly { readonly did: string; readonly from: number; readonly to: number }[];
};

const orders = JSON.parse(process.argv[2]!) as TalkOrders;
const real = await openStore(orders.store);
const { store, appends } = dyingStore(real, orders.dieAt);
const agent = createAgent({
  name: "keeper",
  sysPrompt: SYSTEM,
  model: openaiModel({ model: "loopback", apiKey: "none", baseURL: orders.baseURL }),
  tools: [look],
  maxIters: orders.rounds + 10,
  compaction: { contextTokens: orders.window },
  store,
  sessionId: orders.sessionId,
  sessionOptions: { leaseMs: LEASE_MS },
});
await agent.open();
const compactions: { did: string; from: number; to: number }[] = [];
let from = 0;
agent.subscribe((event) => {
  if (event.type === "compaction.start") from = appends();
  if (event.type === "compaction.end") compactions.push({ did: event.did, from, to: appends() });
});
const last = (await agent.messages()).at(-1);
const isOver = agent.status().phase === "stopped" && last?.role === "assistant";
const answer = isOver ? textOf(last) : (await agent.call(last ? undefined : askForSteps(orders.rounds))).text;
await agent.close();
await real.close();
const told: Told = { answer, compactions };
process.stdout.write(`DONE ${appends()} ${JSON.stringify(told)}\n`);
