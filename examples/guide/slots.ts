// #region define
import { createAgent, defineHook, defineSlot, defineTool, userMsg } from "agentchart";
import { z } from "zod";

const steps = defineSlot<readonly string[]>({
  name: "steps",
  initial: [],
  version: 1,
  schema: z.array(z.string()).max(20), // checks each value that is written
});
// #endregion

// #region tool
const addStep = defineTool({
  name: "add_step",
  description: "Adds a step to the plan.",
  input: z.object({ step: z.string() }),
  writes: [steps],
  execute: ({ step }, { slots }) => ({
    output: [{ type: "text", text: "ok" }],
    slots: { steps: [...slots.get(steps), step] },
  }),
});
// #endregion

// #region hook
const hint = defineHook({
  name: "plan-hint",
  preReasoning: ({ slots }) => {
    const plan = slots.get(steps);
    if (plan.length > 0) return { append: [userMsg(`The plan: ${plan.join(", ")}.`)] };
  },
});
// #endregion

import { scriptedModel } from "agentchart/testing";

const model = scriptedModel([
  {
    calls: [
      { name: "add_step", input: { step: "measure" } },
      { name: "add_step", input: { step: "cut" } },
    ],
  },
  "I shall measure, then cut.",
  "I shall only measure.",
]);

// #region use
const agent = createAgent({
  name: "carpenter",
  model,
  tools: [addStep],
  hooks: [hint],
  parallelToolCalls: true,
});
agent.subscribe(
  (event) => {
    if (event.type === "slot") console.log(`${event.name}: ${JSON.stringify(event.value)}`);
  },
  { types: ["slot"] },
);
await agent.call("Make a plan.");

const { value, revision } = await agent.slots.get(steps);
await agent.slots.set(steps, value.slice(0, 1), { revision }); // a person shortens the plan
console.log((await agent.call("What will you do?")).text);
// #endregion

// #region migrate
const nextSteps = defineSlot<readonly { readonly text: string; readonly done: boolean }[]>({
  name: "steps",
  initial: [],
  version: 2,
  migrate: (stored) => (stored as readonly string[]).map((text) => ({ text, done: false })),
});
// #endregion

const next = createAgent({
  name: "carpenter",
  model: scriptedModel([]),
  sessionOptions: { slots: [nextSteps], snapshot: agent.snapshot() },
});
console.log(JSON.stringify((await next.slots.get(nextSteps)).value));
