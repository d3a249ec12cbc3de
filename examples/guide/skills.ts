import { join } from "node:path";
import { defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const load = (path?: string) => ({ name: "load_skill", input: { name: "refunds", ...(path && { path }) } });
const model = scriptedModel([
  { calls: [load()] },
  { calls: [load("references/limits.md")] },
  { calls: [{ name: "pay_back", input: { order: 17 } }] },
  "You get 25 euros back.",
]);
const folder = join(import.meta.dirname, "skills");
const payBack = defineTool({
  name: "pay_back",
  description: "Pays back an order.",
  input: z.object({ order: z.number() }),
  execute: () => "25 euros",
});

// #region skills
import { createAgent } from "agentchart";
import { loadedSlot, skills } from "agentchart/skills";

const desk = skills({ dirs: [folder], tools: { refunds: [payBack] } });
const agent = createAgent({ name: "desk", model, sysPrompt: "You help customers.", hooks: [desk] });
// #endregion

// #region use
const { text } = await agent.call("I want my money for order 17.");
console.log(text);
for (const { tools } of model.requests) console.log(tools.map(({ name }) => name).join(", "));
console.log((await agent.slots.get(loadedSlot)).value);
// #endregion

import { textOf } from "agentchart";

console.log(textOf(model.requests[0]!.messages[0]!));
