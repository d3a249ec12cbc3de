// src/kit/plan lets an agent make a plan and follow it: the tools of the plan notebook, its hints, and a list of things to do.
export { planNotebook } from "./notebook.ts";
export type { PlanEdit, PlanNotebook, PlanNotebookOptions } from "./notebook.ts";
export type { PlanTool } from "./operations.ts";
export { planHistorySlot, planSlot } from "./plan.ts";
export type { Plan, PlanState, Subtask } from "./plan.ts";
export { todoHint, todoSlot, todoTool } from "./todo.ts";
export type { Todo } from "./todo.ts";
