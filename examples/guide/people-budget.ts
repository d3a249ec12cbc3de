import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const lookUp = defineTool({
  name: "look_up",
  description: "Looks up an order.",
  input: z.object({ orderId: z.string() }),
  execute: ({ orderId }) => `order ${orderId}: paid`,
});
const model = scriptedModel([
  { calls: [{ name: "look_up", input: { orderId: "17" } }], usage: { inputTokens: 900, outputTokens: 200 } },
  "Order 17 is paid.",
]);

// #region budget
const agent = createAgent({ name: "desk", model, tools: [lookUp], budget: { totalTokens: 1_000 } });

let reply = await agent.call("Is order 17 paid?");
console.log(reply.reason, agent.status().waitsFor);

await agent.extendBudget({ totalTokens: 5_000 }); // for this turn
reply = await agent.call();
console.log(reply.reason, reply.text);
// #endregion

// #region cost
const prices = { scripted: { input: 0.4, output: 1.6, cachedInput: 0.1 } }; // per million tokens, by the name of the model
const usage = { inputTokens: 900_000, outputTokens: 200_000 };
const priced = createAgent({
  name: "desk",
  model: scriptedModel([{ text: "It is paid.", usage }]),
  modelOptions: { prices },
  budget: { cost: 5 },
});
const { turn } = await priced.call("Is order 17 paid?");
console.log(turn.usage.cost, turn.usage.inputTokens, turn.modelCalls);
// #endregion
