import { createAgent, defineTool, type AgentConfig, type ChatModel } from "agentchart";
import { z } from "zod";

const clock = defineTool({
  name: "clock",
  description: "The time in a time zone such as Asia/Tokyo.",
  input: z.object({ timeZone: z.string() }),
  execute: ({ timeZone }) => new Date().toLocaleString("en-GB", { timeZone }),
});

/** The configuration of an agent that knows the time. */
export const helloConfig = (model: ChatModel): AgentConfig => ({
  name: "hello",
  sysPrompt: "You are brief.",
  model,
  tools: [clock],
});

/** An agent that knows the time. */
export const hello = (model: ChatModel) => createAgent(helloConfig(model));
