// The plan of a context.
import { describe, expect, test } from "vitest";
import {
  emptyPlan,
  emptySubtask,
  inState,
  mayHavePlan,
  planOf,
  planProblem,
  todosOf,
} from "../../src/logic/plan.ts";
import { planSchema } from "../../../src/kit/plan/plan.ts";
import type { Json, Plan } from "../../src/wire/types.ts";

const plan: Plan = {
  id: "p",
  name: "Trip",
  description: "D",
  expectedOutcome: "O",
  state: "todo",
  outcome: null,
  createdAt: 1,
  finishedAt: null,
  subtasks: [{ ...emptySubtask(1), name: "one" }],
};
const holding = (name: string, value: Json) => ({ slots: { [name]: { value, revision: 3, version: 1 } } });

describe("the plan of a context", () => {
  test("is there with its revision, also if it was ended", () => {
    expect(planOf(holding("plan", plan as unknown as Json))).toMatchObject({ value: plan, revision: 3 });
    expect(planOf(holding("plan", null))).toMatchObject({ value: null, revision: 3 });
    expect(planOf({ slots: {} })).toBeUndefined();
    expect(planOf({})).toBeUndefined();
    expect(planOf({ slots: [] as never })).toBeUndefined();
  });

  test.each<[string, Json]>([
    ["text", "plan"],
    ["no subtasks", { ...plan, subtasks: null } as unknown as Json],
    [
      "a subtask of another state",
      { ...plan, subtasks: [{ ...plan.subtasks[0], state: "toString" }] } as unknown as Json,
    ],
    [
      "a text that is shown in part",
      { ...plan, description: { $blob: "x", length: 9, head: "x" } } as unknown as Json,
    ],
  ])("is not taken for one if it has %s", (_, value) => {
    expect(planOf(holding("plan", value))).toBe("other");
  });
});

test("a plan that a person begins is one that the slot takes once it has a name", () => {
  const begun = emptyPlan("p", 1);
  expect(planProblem(begun)).toBe("The plan needs a name.");
  expect(planSchema.safeParse({ ...begun, name: "Trip" }).success).toBe(true);
});

test("a run may have a plan if it has one, or its agent has a slot for it", () => {
  expect(mayHavePlan({ slots: {} })).toBe(false);
  expect(mayHavePlan({ slots: {} }, ["todos"])).toBe(false);
  expect(mayHavePlan(undefined, ["plan"])).toBe(true);
  expect(mayHavePlan(holding("plan", null))).toBe(true);
  expect(mayHavePlan(holding("todos", []))).toBe(true);
});

test("a list of things to do is one only if all of it is", () => {
  const todo = { content: "a", status: "pending" };
  expect(todosOf(holding("todos", [todo]))).toEqual([todo]);
  expect(todosOf(holding("todos", [todo, null]))).toBeUndefined();
  expect(todosOf(holding("other", [todo]))).toBeUndefined();
});

test("a subtask that is over has the time at which it ended, and loses it when it is opened again", () => {
  const done = inState(emptySubtask(1), "done", 7);
  expect([done.finishedAt, inState(done, "abandoned", 9).finishedAt]).toEqual([7, 7]);
  expect(inState(done, "todo", 9).finishedAt).toBeNull();
});

test.each<[Partial<Plan>, string | undefined]>([
  [{}, undefined],
  [{ name: " " }, "The plan needs a name."],
  [{ subtasks: [plan.subtasks[0]!, emptySubtask(1)] }, "Subtask 1 needs a name."],
  [
    { subtasks: [1, 2].map(() => ({ ...plan.subtasks[0]!, state: "in_progress" as const })) },
    "Only one subtask may be in progress.",
  ],
])("a plan with %j can be saved unless: %s", (part, problem) => {
  expect(planProblem({ ...plan, ...part })).toBe(problem);
});
