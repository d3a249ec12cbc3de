import { defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const model = scriptedModel([
  { calls: [{ name: "look_up", input: { order: 7 } }] },
  { calls: [{ name: "transfer_to_billing", input: { reason: "A refund." } }] },
  { calls: [{ name: "refund", input: { order: 7 } }] },
  "You have your money back.",
]);
const lookUp = defineTool({
  name: "look_up",
  description: "Looks an order up.",
  input: z.object({ order: z.number() }),
  execute: ({ order }) => `Order ${order} was paid and not delivered.`,
});
const refund = defineTool({
  name: "refund",
  description: "Pays an order back.",
  input: z.object({ order: z.number() }),
  permission: "ask",
  execute: ({ order }) => `Order ${order} is paid back.`,
});

// #region handoffs
import { createAgent } from "agentchart";

const agent = createAgent({
  name: "desk",
  model,
  sysPrompt: "You answer customers.",
  tools: [lookUp],
  personas: { billing: { sysPrompt: "You pay money back.", tools: [refund] } },
  handoffs: [
    { to: "billing", description: "Hands over to somebody who pays money back." },
    { to: "desk", from: ["billing"], description: "Hands back what is not about money." },
  ],
});
agent.subscribe((event) => {
  if (event.type === "handoff") console.log(`${event.from ?? "desk"} → ${event.to ?? "desk"}`);
});

let reply = await agent.call("Order 7 never came. I want my money back.");
for (const { callId, name } of reply.pending) {
  console.log(`${agent.status().persona} waits for ${name}`);
  await agent.decide(callId, "approve");
}
reply = await agent.call();
console.log(reply.text);
// #endregion
