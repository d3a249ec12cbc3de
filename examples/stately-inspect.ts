// npx node --conditions=agentchart-source examples/stately-inspect.ts
// Any observer of XState 5 may watch an agent, also the inspector of Stately. `send` says where its events go: here a line
// each on stdout, nothing leaves the process.
import { createInspector } from "@statelyai/inspect";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const inspector = createInspector({ send: (event) => console.log(JSON.stringify(event)) });
const clock = defineTool({
  name: "clock",
  description: "The time of day",
  input: z.object({}),
  execute: () => "12:00",
});
const model = scriptedModel([{ calls: [{ name: "clock" }] }, "It is noon."]);
const agent = createAgent({ name: "watched", model, tools: [clock], inspect: inspector.inspect });
const { text } = await agent.call("How late is it?");
console.error(text);
