// Prints the CPU µs of this process from its start to the answer of an agent of the built package; with "first" those of the first runs
// after the imports, each of a new agent.
import { createAgent, defineTool } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { ANSWER, ASKS, BASE_URL, fetch, measured, TOOL } from "./server.mjs";

const { name, description, parameters: input } = TOOL;
const tools = [defineTool({ name, description, input, execute: () => "20 °C" })];
const model = openaiModel({ model: "loopback", apiKey: "none", baseURL: BASE_URL, fetch });
await measured(async () => {
  const agent = createAgent({ name: "bench", model, tools });
  const { text } = await agent.call(ASKS);
  await agent.close();
  if (text !== ANSWER) throw new Error(`The task was not done: ${text}`);
});
