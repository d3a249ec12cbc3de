// The tools of the plan notebook, each in each state of a plan.
import { describe, expect, test } from "vitest";
import { createAgent, type Agent, type JsonObject } from "agentchart";
import { planHistorySlot, planNotebook, planSlot, type Plan, type PlanTool } from "agentchart/plan";
import { scriptedModel } from "agentchart/testing";
import { outputOf, resultsOf } from "../../support/agents.ts";

const notebook = planNotebook({ maxSubtasks: 3 });

const subtask = (name: string) => ({ name, description: `do ${name}`, expected_outcome: `${name} is there` });
const TRIP = {
  name: "Trip",
  description: "D",
  expected_outcome: "O",
  subtasks: ["a", "b", "c"].map(subtask),
};

/** What was done before, by the name of the state that it led to. */
const BEFORE = {
  none: [],
  new: [["create_plan", TRIP]],
  empty: [["create_plan", { ...TRIP, subtasks: [] }]],
  begun: [
    ["create_plan", TRIP],
    ["update_subtask_state", { subtask_idx: 0, state: "in_progress" }],
  ],
  second: [
    ["create_plan", TRIP],
    ["finish_subtask", { subtask_idx: 0, subtask_outcome: "A" }],
  ],
  rest: [
    ["create_plan", TRIP],
    ["finish_subtask", { subtask_idx: 0, subtask_outcome: "A" }],
    ["update_subtask_state", { subtask_idx: 1, state: "abandoned" }],
  ],
  over: [
    ["create_plan", TRIP],
    ["update_subtask_state", { subtask_idx: 0, state: "abandoned" }],
    ["finish_subtask", { subtask_idx: 1, subtask_outcome: "B" }],
    ["finish_subtask", { subtask_idx: 2, subtask_outcome: "C" }],
  ],
  past: [
    ["create_plan", TRIP],
    ["finish_plan", { state: "done", outcome: "home" }],
  ],
} as const satisfies { readonly [state: string]: readonly (readonly [PlanTool, JsonObject])[] };
type State = keyof typeof BEFORE;

async function agentIn(state: State, calls: readonly (readonly [PlanTool, JsonObject])[] = []) {
  const turn = { calls: calls.map(([name, input]) => ({ name, input })) };
  const model = scriptedModel(calls.length > 0 ? [turn, "end"] : []);
  const agent = createAgent({ name: "bot", model, hooks: [notebook.hook] });
  for (const [tool, input] of BEFORE[state]) await notebook.edit(agent, tool, input);
  return { agent, model };
}

const statesOf = (plan: Plan | null): string | null =>
  plan && `${plan.state}: ${plan.subtasks.map(({ name, state }) => `${name} ${state}`).join(", ")}`;
const planOf = async (agent: Agent): Promise<Plan | null> => (await agent.slots.get(planSlot)).value;

const exactly = (text: string): RegExp => new RegExp(`^${text.replaceAll(/[().]/g, "\\$&")}$`);
const NO_PLAN = "Error: The current plan is None, you need to create a plan by calling create_plan() first.";
const NEW = "todo: a todo, b todo, c todo";
const BEGUN = "in_progress: a in_progress, b todo, c todo";
const SECOND = "in_progress: a done, b in_progress, c todo";
const REST = "in_progress: a done, b abandoned, c todo";
const OVER = "in_progress: a abandoned, b done, c done";

/** Each tool in the states in which it answers differently: what it answers, and the plan after it. */
const CASES: readonly (readonly [PlanTool, State, JsonObject, string | RegExp, string | null])[] = [
  ["create_plan", "none", TRIP, "Plan 'Trip' created successfully.", NEW],
  ["create_plan", "begun", { ...TRIP, name: "Other" }, /'Trip' is replaced by the newly .* 'Other'/, NEW],
  [
    "create_plan",
    "none",
    { ...TRIP, subtasks: [1, 2, 3, 4].map((n) => subtask(`${n}`)) },
    /^Cannot create.* 4 .* 3\./,
    null,
  ],
  ["update_plan_info", "none", { name: "x" }, NO_PLAN, null],
  ["update_plan_info", "new", { name: " x ", description: "" }, "Plan 'x' updated successfully: name.", NEW],
  ["update_plan_info", "begun", { description: " " }, /^No changes were made/, BEGUN],
  ["revise_current_plan", "none", { subtask_idx: 0, action: "delete" }, NO_PLAN, null],
  [
    "revise_current_plan",
    "new",
    { subtask_idx: 3, action: "delete" },
    "Invalid subtask_idx '3' for action 'delete'. Must be between 0 and 2.",
    NEW,
  ],
  [
    "revise_current_plan",
    "new",
    { subtask_idx: 4, action: "add", subtask: subtask("d") },
    "Invalid subtask_idx '4' for action 'add'. Must be between 0 and 3.",
    NEW,
  ],
  [
    "revise_current_plan",
    "new",
    { subtask_idx: 0, action: "add", subtask: subtask("d") },
    /^Cannot add more subtasks: .* maximum of 3/,
    NEW,
  ],
  [
    "revise_current_plan",
    "empty",
    { subtask_idx: 0, action: "delete" },
    "Invalid subtask_idx '0' for action 'delete'. The plan has no subtasks.",
    "todo: ",
  ],
  [
    "revise_current_plan",
    "empty",
    { subtask_idx: 0, action: "add", subtask: subtask("d") },
    "New subtask is added successfully at index 0.",
    "todo: d todo",
  ],
  [
    "revise_current_plan",
    "empty",
    { subtask_idx: 0, action: "add" },
    /^The subtask must be provided/,
    "todo: ",
  ],
  [
    "revise_current_plan",
    "begun",
    { subtask_idx: 1, action: "revise", subtask: subtask("d") },
    "Subtask at index 1 is revised successfully.",
    "in_progress: a in_progress, d todo, c todo",
  ],
  [
    "revise_current_plan",
    "begun",
    { subtask_idx: 0, action: "delete" },
    "Subtask (named 'a') at index 0 is deleted successfully.",
    "todo: b todo, c todo",
  ],
  [
    "revise_current_plan",
    "begun",
    { subtask_idx: 0, action: "explode" },
    "Invalid action 'explode'. Must be one of 'add', 'revise', 'delete'.",
    BEGUN,
  ],
  ["update_subtask_state", "none", { subtask_idx: 0, state: "todo" }, NO_PLAN, null],
  [
    "update_subtask_state",
    "new",
    { subtask_idx: -1, state: "todo" },
    /^Invalid subtask_idx '-1'\. Must/,
    NEW,
  ],
  ["update_subtask_state", "new", { subtask_idx: 0, state: "started" }, /^Invalid state 'started'/, NEW],
  ["update_subtask_state", "new", { subtask_idx: 0, state: "done" }, /'finish_subtask' instead/, NEW],
  [
    "update_subtask_state",
    "new",
    { subtask_idx: 0, state: "in_progress" },
    "Subtask at index 0, named 'a' is marked as 'in_progress' successfully.",
    BEGUN,
  ],
  [
    "update_subtask_state",
    "new",
    { subtask_idx: 1, state: "in_progress" },
    /^Subtask \(at index 0\) named 'a' is not done yet/,
    NEW,
  ],
  [
    "update_subtask_state",
    "begun",
    { subtask_idx: 0, state: "in_progress" },
    /named 'a' is already 'in_progress'/,
    BEGUN,
  ],
  [
    "update_subtask_state",
    "begun",
    { subtask_idx: 1, state: "in_progress" },
    /named 'a' is not done yet/,
    BEGUN,
  ],
  ["update_subtask_state", "begun", { subtask_idx: 0, state: "todo" }, /marked as 'todo' successfully/, NEW],
  [
    "update_subtask_state",
    "second",
    { subtask_idx: 1, state: "abandoned" },
    /marked as 'abandoned' successfully/,
    REST,
  ],
  [
    "update_subtask_state",
    "rest",
    { subtask_idx: 2, state: "in_progress" },
    /marked as 'in_progress' successfully/,
    "in_progress: a done, b abandoned, c in_progress",
  ],
  ["finish_subtask", "none", { subtask_idx: 0, subtask_outcome: "A" }, NO_PLAN, null],
  ["finish_subtask", "new", { subtask_idx: 3, subtask_outcome: "A" }, /^Invalid subtask_idx '3'/, NEW],
  [
    "finish_subtask",
    "new",
    { subtask_idx: 1, subtask_outcome: "B" },
    /^Cannot finish subtask at index 1 because the previous subtask \(at index 0\) named 'a'/,
    NEW,
  ],
  [
    "finish_subtask",
    "begun",
    { subtask_idx: 0, subtask_outcome: "A" },
    /named 'a' is marked as done successfully\. The next subtask \(at index 1\) named 'b' is activated\.$/,
    SECOND,
  ],
  [
    "finish_subtask",
    "second",
    { subtask_idx: 0, subtask_outcome: "A2" },
    /named 'a' is marked as done successfully\.$/,
    SECOND,
  ],
  [
    "finish_subtask",
    "rest",
    { subtask_idx: 2, subtask_outcome: "C" },
    "Subtask (at index 2) named 'c' is marked as done successfully.",
    "in_progress: a done, b abandoned, c done",
  ],
  ["view_subtasks", "none", { subtask_idx: [0] }, NO_PLAN, null],
  [
    "view_subtasks",
    "second",
    { subtask_idx: [0, 7] },
    /index 0:\n```\nName: a\nState: done\n[^]*Outcome: A\n[^]*Invalid subtask_idx '7'\. Must be between 0 and 2\./,
    SECOND,
  ],
  ["view_subtasks", "second", { subtask_idx: [] }, "No subtask_idx was given.", SECOND],
  ["get_subtask_count", "none", {}, "There is no active plan. Please create a plan first.", null],
  [
    "get_subtask_count",
    "rest",
    {},
    "Current plan 'Trip' has 3 subtask(s): 1 done, 0 in_progress, 1 todo, 1 abandoned.",
    REST,
  ],
  ["finish_plan", "none", { state: "done", outcome: "x" }, "There is no plan to finish.", null],
  [
    "finish_plan",
    "over",
    { state: "todo", outcome: "x" },
    "Invalid state 'todo'. Must be 'done' or 'abandoned'.",
    OVER,
  ],
  [
    "finish_plan",
    "over",
    { state: "done", outcome: "x" },
    "The current plan is finished successfully as 'done'.",
    null,
  ],
  [
    "finish_plan",
    "begun",
    { state: "abandoned", outcome: "x" },
    "The current plan is finished successfully as 'abandoned'.",
    null,
  ],
  ["view_historical_plans", "none", {}, "No historical plans found.", null],
  [
    "view_historical_plans",
    "past",
    {},
    /^Plan named 'Trip':\n- ID: \S+\n- Created at: \S+\n- Description: D\n- State: done\n- Outcome: home$/,
    null,
  ],
  ["recover_historical_plan", "none", { plan_id: "p7" }, "Error: Plan p7 does not exist.", null],
];

describe("the tools of the plan notebook", () => {
  test.each(CASES)("%s, plan: %s, %j", async (tool, state, input, answer, plan) => {
    const { agent } = await agentIn(state, [[tool, input]]);
    await agent.call("go");
    const [result] = resultsOf(await agent.messages());
    expect(outputOf(result)).toMatch(answer instanceof RegExp ? answer : exactly(answer));
    expect(result!.state).toBe(outputOf(result).startsWith("Error") ? "error" : "success");
    expect(statesOf(await planOf(agent))).toBe(plan);
  });

  test.each(CASES)(
    "edit does for a person what %s does: plan %s, %j",
    async (tool, state, input, answer, plan) => {
      const { agent } = await agentIn(state);
      const before = await agent.slots.get(planSlot);
      const { text, isChanged } = await notebook.edit(agent, tool, input, before);
      const plain = text.replace(/^(?=The current plan is None|Plan p7)/, "Error: ");
      expect(plain).toMatch(answer instanceof RegExp ? answer : exactly(answer));
      const after = await agent.slots.get(planSlot);
      expect(statesOf(after.value)).toBe(plan);
      expect(after.revision > before.revision).toBe(isChanged);
    },
  );

  test("keep all fields, and a finished plan is the newest of the history", async () => {
    const { agent } = await agentIn("over");
    const { value, revision } = await agent.slots.get(planSlot);
    await notebook.edit(agent, "finish_plan", { state: "done", outcome: "home" }, { revision });
    const [past] = (await agent.slots.get(planHistorySlot)).value;
    expect(past).toEqual({
      ...value,
      state: "done",
      outcome: "home",
      finishedAt: expect.any(Number) as number,
    });
    expect(past!.subtasks[1]).toEqual({
      name: "b",
      description: "do b",
      expectedOutcome: "b is there",
      state: "done",
      outcome: "B",
      createdAt: expect.any(Number) as number,
      finishedAt: expect.any(Number) as number,
    });
  });

  test("recover a plan of the past, and keep the one that was interrupted", async () => {
    const { agent } = await agentIn("past");
    const [{ id } = { id: "" }] = (await agent.slots.get(planHistorySlot)).value;
    const first = await notebook.edit(agent, "recover_historical_plan", { plan_id: id });
    expect(first.text).toBe(`Historical plan named 'Trip' with ID '${id}' is recovered successfully.`);
    await notebook.edit(agent, "finish_plan", { state: "done", outcome: "home again" });
    await notebook.edit(agent, "create_plan", { ...TRIP, name: "Other" });
    const { text } = await notebook.edit(agent, "recover_historical_plan", { plan_id: id });
    expect(text).toBe(
      `The current plan named 'Other' is replaced by the historical plan named 'Trip' with ID '${id}'.`,
    );
    expect(
      (await agent.slots.get(planHistorySlot)).value.map(({ name, state, outcome }) => [
        name,
        state,
        outcome,
      ]),
    ).toEqual([
      ["Trip", "done", "home again"],
      ["Other", "abandoned", `The plan execution is interrupted by a new plan with ID '${id}'.`],
    ]);
  });

  test("keep as many plans of the past as the option says, and no more than a slot takes", async () => {
    const small = planNotebook({ history: 2 });
    const agent = createAgent({ name: "bot", model: scriptedModel([]), hooks: [small.hook] });
    const past = async (name: string, description = "") => {
      await small.edit(agent, "create_plan", { ...TRIP, name, description });
      await small.edit(agent, "finish_plan", { state: "done", outcome: "" });
      return (await agent.slots.get(planHistorySlot)).value.map((each) => each.name);
    };
    await past("1");
    await past("2");
    expect(await past("3")).toEqual(["2", "3"]);
    expect(await past("4", "x".repeat(59_000))).toEqual(["4"]);
  });

  test("edit refuses an unknown tool and a wrong input", async () => {
    const { agent } = await agentIn("new");
    await expect(notebook.edit(agent, "drop_plan" as never, {})).rejects.toMatchObject({
      code: "config/invalid",
    });
    await expect(notebook.edit(agent, "view_subtasks", { subtask_idx: "0" })).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringContaining("plan.edit, view_subtasks: `subtask_idx`") as string,
    });
  });
});
