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
