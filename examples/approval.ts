// npx node --conditions=agentchart-source examples/approval.ts          asks for an approval; then the process ends
// npx node --conditions=agentchart-source examples/approval.ts approve  resumes the same turn in another process
// #region approval
import { createAgent, defineTool } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  input: z.object({ orderId: z.string(), cents: z.number().int().positive() }),
  permission: "ask", // a person decides
  execute({ orderId, cents }) {
    console.log(`Paying ${cents} cents.`);
    return `Paid back ${cents} cents for order ${orderId}.`;
  },
});
const [decision] = process.argv.slice(2);
const call = { name: "refund", input: { orderId: "17", cents: 1250 } };
const { OPENAI_API_KEY: apiKey } = process.env; // without a key the model is a script
const model = apiKey
  ? openaiModel({ model: "gpt-4.1-mini", apiKey })
  : scriptedModel([decision ? "Order 17 is settled." : { calls: [call] }]);

const store = fileStore({ dir: "./sessions" });
const agent = createAgent({ name: "desk", model, tools: [refund], store, sessionId: "customer-42" });
await agent.open(); // restores the session of an earlier process
let text = "";
if (agent.status().phase === "stopped") {
  ({ text } = await agent.call("Please pay back 12.50 for order 17."));
} else if (decision) {
  for (const { callId } of agent.status().pending)
    await agent.decide(callId, decision === "approve" ? "approve" : { deny: "A person said no." });
  ({ text } = await agent.call());
}
for (const { name, input } of agent.status().pending)
  console.log(`May ${name} run with ${JSON.stringify(input)}?`);
if (text) console.log(text);
await agent.close();
// #endregion
