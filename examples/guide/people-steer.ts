import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const model = scriptedModel([
  { calls: [{ name: "convert", input: { usd: 20 } }] },
  "That is 18 euros.",
  { calls: [{ name: "convert", input: { usd: 30 } }] },
]);

// #region steer
const convert = defineTool({
  name: "convert",
  description: "Converts dollars.",
  input: z.object({ usd: z.number() }),
  execute: ({ usd }) => {
    if (usd === 20) agent.steer("In euros, please."); // the next model call of this turn sees it
    else agent.interrupt("Stop, that was a mistake."); // the turn ends, and its history stays valid
    return `${usd * 0.9} euros`;
  },
});
const agent = createAgent({ name: "desk", model, tools: [convert] });

console.log((await agent.call("How much is 20 dollars?")).text);
const reply = await agent.call("And 30?");
console.log(reply.reason, reply.text);
// #endregion
