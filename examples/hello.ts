// OPENAI_API_KEY=… node hello.ts, or in a clone: npx node --conditions=agentchart-source examples/hello.ts
import { createAgent, defineTool } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { z } from "zod";

const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL = "https://api.openai.com/v1" } = process.env;
const clock = defineTool({
  name: "clock",
  description: "The time in a time zone such as Asia/Tokyo",
  input: z.object({ timeZone: z.string() }),
  execute: ({ timeZone }) => new Date().toLocaleString("en-GB", { timeZone }),
});
const model = openaiModel({ model: "gpt-4.1-mini", apiKey, baseURL });
const agent = createAgent({ name: "hello", model, tools: [clock] });
console.log((await agent.call("What time is it in Tokyo?")).text);
