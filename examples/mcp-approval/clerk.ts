// Start bank.ts first, and give its address as BANK_URL.
// npx node --conditions=agentchart-source examples/mcp-approval/clerk.ts      asks for a payment; then the process ends
// npx node --conditions=agentchart-source examples/mcp-approval/clerk.ts yes  answers the bank's question in another process
import { createAgent } from "agentchart";
import { mcp } from "agentchart/mcp";
import { openaiModel } from "agentchart/openai";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";

const [word] = process.argv.slice(2);
const { OPENAI_API_KEY: apiKey, BANK_URL = "http://127.0.0.1:8795", SESSIONS = "./sessions" } = process.env;
const bank = await mcp({ name: "bank", url: BANK_URL });
const call = { name: "bank__pay", input: { to: "Ann", cents: 1250 } };
const model = apiKey // without a key the model is a script
  ? openaiModel({ model: "gpt-4.1-mini", apiKey })
  : scriptedModel([word ? "The bank has answered." : { calls: [call] }]);

const store = fileStore({ dir: SESSIONS });
const agent = createAgent({ name: "clerk", model, tools: bank.tools(), store, sessionId: "payment-7" });
await agent.open(); // restores the session of an earlier process
let text = "";
if (agent.status().phase === "stopped") {
  ({ text } = await agent.call("Please pay Ann 12.50."));
} else if (word) {
  for (const { callId } of agent.status().pending)
    await agent.decide(callId, word === "yes" ? { respond: { pay: true } } : { decline: true });
  ({ text } = await agent.call());
}
for (const { reason, callId } of agent.status().pending) console.log(`${reason} (${callId})`);
if (text) console.log(text);
await agent.close();
await bank.close();
