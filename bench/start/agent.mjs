// Prints the CPU µs of this process from its start to the answer of an agent of the built package.
import { createAgent, defineTool } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { ANSWER, ASKS, BASE_URL, fetch, TOOL } from "./server.mjs";

const { name, description, parameters: input } = TOOL;
const tools = [defineTool({ name, description, input, execute: () => "20 °C" })];
const model = openaiModel({ model: "loopback", apiKey: "none", baseURL: BASE_URL, fetch });
const agent = createAgent({ name: "bench", model, tools });
const { text } = await agent.call(ASKS);
const { user, system } = process.cpuUsage();
if (text !== ANSWER) throw new Error(`The task was not done: ${text}`);
process.stdout.write(String(user + system));
