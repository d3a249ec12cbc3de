// #region states
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const clock = defineTool({
  name: "clock",
  description: "The time of day.",
  input: z.object({}),
  execute: () => "12:00",
});
const model = scriptedModel([{ calls: [{ name: "clock" }] }, "It is noon."]);
const agent = createAgent({ name: "clerk", model, tools: [clock] });

agent.subscribe((event) => event.type === "state" && console.log(event.value), { types: ["state"] });
const reply = await agent.call("How late is it?");
console.log(reply.reason, agent.status().phase);
// #endregion

// #region edges
import { agentMachine, chartJson } from "agentchart/machines";

const { edges } = chartJson(agentMachine);
for (const { source, guard, targets } of edges) {
  if (source === "agent.reasoning.deciding") console.log(guard?.name ?? "else", "→", targets[0]);
}
// #endregion
