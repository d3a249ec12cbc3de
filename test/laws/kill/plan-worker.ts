import { randomUUID } from "node:crypto";
import { createAgent, type ChatModel } from "agentchart";
import { longTermMemory, sqliteMemory } from "agentchart/memory";
import { planHistorySlot, planNotebook, planSlot, type Plan } from "agentchart/plan";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { openStore } from "../../support/open-store.ts";
import { dyingStore, LEASE_MS } from "./dying-store.ts";
import type { Orders } from "./live.ts";

/** Where the memories are, and when they are recorded. */
export type PlanOrders = Orders & { readonly memory: string; readonly when: "postCall" | "later" };

/** What a session came to. */
export type PlanTold = {
  readonly plan: Plan | null;
  readonly history: readonly Plan[];
  /** What is remembered, oldest first. */
  readonly facts: readonly string[];
};

const orders = JSON.parse(process.argv[2]!) as PlanOrders;
const real = await openStore(orders.store);
const { store, appends } = dyingStore(real, orders.dieAt);
const memory = sqliteMemory({ path: orders.memory });

const finish = (subtask_idx: number) => ({
  name: "finish_subtask",
  input: { subtask_idx, subtask_outcome: `outcome ${subtask_idx}` },
});
const trip = {
  name: "Trip",
  description: "D",
  expected_outcome: "O",
  subtasks: [{ name: "a" }, { name: "b" }],
};
/** The answers of the model, by how many it has given before. */
const TURNS: readonly ScriptedTurn[] = [
  { calls: [{ name: "create_plan", input: trip }] },
  { calls: [finish(0), finish(1)] },
  { calls: [{ name: "finish_plan", input: { state: "done", outcome: "home" } }] },
  "Done.",
  "Nothing more.",
  "Bye.",
];
const INPUTS = ["Go.", "And now?", "Goodbye!"];
const model: ChatModel = {
  ...scriptedModel([]),
  stream: (request, signal) => {
    const given = request.messages.filter(({ role }) => role === "assistant").length;
    return scriptedModel([TURNS[given]!]).stream(request, signal);
  },
};
/** Never says the same twice, so that a turn that is recorded twice is seen. */
const extractor: ChatModel = {
  ...scriptedModel([]),
  stream: (request, signal) => {
    const asked = JSON.stringify(request.messages);
    const turn = INPUTS.findIndex((input) => asked.includes(input)) + 1;
    return scriptedModel([`Turn ${turn}: ${randomUUID()}`]).stream(request, signal);
  },
};
const agent = createAgent({
  name: "planner",
  model,
  hooks: [
    planNotebook().hook,
    longTermMemory({
      store: memory,
      scope: () => "acme/ada",
      mode: "static",
      record: { model: extractor, when: orders.when },
    }),
  ],
  parallelToolCalls: true,
  store,
  sessionId: orders.sessionId,
  sessionOptions: { leaseMs: LEASE_MS },
});
await agent.open({ waitMs: 10_000 });
if (agent.status().phase === "unfinished") await agent.call();
for (const input of INPUTS) {
  const asked = (await agent.messages()).filter(({ role }) => role === "user").map(({ content }) => content);
  if (!JSON.stringify(asked).includes(input)) await agent.call(input);
}
const { value: plan } = await agent.slots.get(planSlot);
const { value: history } = await agent.slots.get(planHistorySlot);
await agent.close();
const facts = (await memory.list("acme/ada")).memories.map(({ text }) => text).toReversed();
const told: PlanTold = { plan, history, facts };
await memory.close();
await real.close();
process.stdout.write(`DONE ${appends()} ${JSON.stringify(told)}\n`);
