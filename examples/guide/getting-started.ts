import { createAgent, defineTool } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { z } from "zod";

const orderStatus = defineTool({
  name: "order_status",
  description: "Says where an order is.",
  input: z.object({ orderId: z.string() }),
  execute: ({ orderId }) => (orderId === "17" ? "shipped on Monday" : "unknown"),
});

const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL = "https://api.openai.com/v1" } = process.env;
const model = openaiModel({ model: "gpt-4.1-mini", apiKey, baseURL });
const agent = createAgent({ name: "desk", sysPrompt: "You help customers.", model, tools: [orderStatus] });

const reply = await agent.call("Where is order 17?");
console.log(reply.text);
console.log(reply.reason, reply.turn.modelCalls, reply.turn.toolCalls);
