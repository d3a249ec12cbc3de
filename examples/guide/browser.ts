// #region agent
import { createAgent, defineTool } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const store = memoryStore();
const refund = defineTool({
  name: "refund",
  description: "Refund an order.",
  input: z.object({ orderId: z.string() }),
  execute: ({ orderId }) => `Order ${orderId} is refunded.`,
});
const deskOf = (...answers: Parameters<typeof scriptedModel>[0]) =>
  createAgent({
    name: "desk",
    model: scriptedModel(answers),
    tools: [refund],
    permissions: { rules: [{ tool: "refund", action: "ask" }] },
    store,
    sessionId: "customer-7",
  });

const first = deskOf({ calls: [{ name: "refund", input: { orderId: "17" } }] });
const { reason } = await first.call("Refund order 17.");
console.log(reason);
await first.close();

const second = deskOf("Done: order 17 is refunded.");
await second.open();
await second.decide(second.status().pending[0]!.callId, "approve", { by: "maria" });
const reply = await second.call();
console.log(reply.reason, reply.text);
// #endregion
await second.close();
