// npx node --conditions=agentchart-source examples/stately-inspect.ts
// Passes an agent's inspection events to Stately's inspector: `inspect` accepts any inspection observer of XState 5.
// `send` receives the events; here it writes them to stdout, one JSON line each, and sends nothing over the network.
import { createInspector } from "@statelyai/inspect";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const inspector = createInspector({ send: (event) => console.log(JSON.stringify(event)) });
const clock = defineTool({
  name: "clock",
  description: "Returns the time of day.",
  input: z.object({}),
  execute: () => "12:00",
});
const model = scriptedModel([{ calls: [{ name: "clock" }] }, "It is noon."]);
const agent = createAgent({ name: "inspected", model, tools: [clock], inspect: inspector.inspect });
const { text } = await agent.call("What time is it?");
console.error(text);
