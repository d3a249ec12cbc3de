import assert from "node:assert/strict";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";

const orderStatus = defineTool({
  name: "order_status",
  description: "Says where an order is.",
  input: { type: "object", properties: { orderId: { type: "string" } }, required: ["orderId"] },
  execute: ({ orderId }) => `Order ${String(orderId)} was shipped on Monday.`,
});

const model = scriptedModel([
  { calls: [{ name: "order_status", input: { orderId: "17" } }] }, // the first answer calls the tool
  "It was shipped on Monday.", // the second one is text
]);
const agent = createAgent({ name: "desk", model, tools: [orderStatus] });

const reply = await agent.call("Where is order 17?");
assert.equal(reply.text, "It was shipped on Monday.");
assert.equal(reply.turn.toolCalls, 1);
model.done(); // throws if an answer of the script was not asked for

console.log("passed");
