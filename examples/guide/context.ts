import { createAgent, defineHook, defineSlot, type Msg } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";

const model = scriptedModel(["Noted.", "Ada wants tea."]);
const small = scriptedModel([]);
const openOrders = (): string => "17, 18";
const isPlan = ({ content }: Msg): boolean => JSON.stringify(content).includes("plan");

// #region results
createAgent({
  name: "reader",
  model,
  toolOptions: { results: { maxTokens: 5_000, tools: { search: 20_000 }, exclude: ["get_contract"] } },
});
// #endregion

// #region compaction
createAgent({
  name: "clerk",
  model,
  compaction: {
    contextTokens: 128_000, // default: what the model declares
    summarise: "fit", // "threshold": summaries before they are needed; "never": only clearing
    instructions: "Keep all order numbers.",
    model: small, // a cheaper one; default: the agent's
  },
});
// #endregion

// #region hook
const audited = defineHook({
  name: "audited",
  preCompact: ({ messages }) => {
    const plan = messages.findLast(isPlan);
    return plan && { keepFrom: plan.id };
  },
  postCompact: ({ summary }) => ({ summary: `${summary}\n\nOpen orders: ${openOrders()}` }),
});
// #endregion

// #region months
const profile = defineSlot<readonly string[]>({ name: "profile", initial: [], version: 1 });
const agent = createAgent({
  name: "desk",
  model,
  hooks: [audited],
  store: sqliteStore({ path: "chats.sqlite" }),
  sessionId: "customer-42",
  sessionOptions: {
    // one session for each person, for ever
    slots: [profile],
  }, // what must never be summed up: name, wishes, open orders
  compaction: { instructions: "Keep what the customer wishes for, and every order number." },
});
// #endregion

await agent.call("I want tea.");
console.log((await agent.call("What do I want?")).text);
await agent.close();
