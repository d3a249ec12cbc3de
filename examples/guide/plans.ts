// #region notebook
import { createAgent } from "agentchart";
import { planNotebook, planSlot } from "agentchart/plan";

const notebook = planNotebook({ maxSubtasks: 8, needUserConfirm: false });
// #endregion

import { scriptedModel } from "agentchart/testing";

const subtasks = ["Find trains", "Find a hotel"].map((name) => ({ name }));
const trip = { name: "Trip to Oslo", description: "Two days", expected_outcome: "A booking", subtasks };
const model = scriptedModel([
  { calls: [{ name: "create_plan", input: trip }] },
  { calls: [{ name: "finish_subtask", input: { subtask_idx: 0, subtask_outcome: "The 8:15 train" } }] },
  "I have found a train.",
  "Done.",
]);

// #region use
const agent = createAgent({ name: "traveller", model, hooks: [notebook.hook] });
agent.subscribe(
  (event) => {
    if (event.type === "slot") console.log(`${event.name}, revision ${event.revision}`);
  },
  { types: ["slot"] },
);
console.log((await agent.call("Plan my trip to Oslo.")).text);
// #endregion

// #region edit
const seen = await agent.slots.get(planSlot);
const hostel = { subtask_idx: 1, action: "revise", subtask: { name: "Find a hostel" } };
console.log((await notebook.edit(agent, "revise_current_plan", hostel, seen)).text);
// #endregion

const { value } = await agent.slots.get(planSlot);
console.log(value!.subtasks.map(({ name, state }) => `${name}: ${state}`).join("\n"));
