import { defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  input: z.object({ orderId: z.string(), cents: z.number().int().positive() }),
  execute: ({ orderId, cents }) => `Paid back ${cents} cents for order ${orderId}.`,
});
const calls = [
  { name: "refund", input: { orderId: "17", cents: 1250 } },
  { name: "refund", input: { orderId: "18", cents: 99_900 } },
];
const model = scriptedModel([{ calls }, "Order 17 is refunded. Order 18 needs a receipt."]);

// #region ask
import { createAgent } from "agentchart";

const agent = createAgent({
  name: "desk",
  model,
  tools: [refund],
  permissions: {
    rules: [
      {
        tool: "refund",
        action: "ask",
        when: ({ cents }) => Number(cents) > 1000,
        reason: "more than 10 euros",
      },
    ],
    expiresAfterMs: 3 * 24 * 3_600_000, // after three days the call is denied
  },
});

let reply = await agent.call("Refund orders 17 and 18.");
console.log(reply.reason);
for (const { callId, name, input, reason } of reply.pending) console.log(callId, name, input, reason);
// #endregion

// #region decide
const [first, second] = reply.pending;
await agent.decide(first!.callId, "approve", { argsHash: first!.argsHash });
await agent.decide(second!.callId, { deny: "There is no receipt." });
reply = await agent.call(); // no input: the turn goes on
console.log(reply.reason, reply.text);
// #endregion
