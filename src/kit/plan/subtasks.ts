import type { Plan, Subtask } from "./plan.ts";

/** True for a subtask that nothing is left to do for. */
export function isOver({ state }: Pick<Subtask, "state">): boolean {
  return state === "done" || state === "abandoned";
}

/** The plan with other subtasks, and with the state that follows from them. */
export function withSubtasks(plan: Plan, subtasks: readonly Subtask[]): Plan {
  const hasBegun = subtasks.some(({ state }) => state === "in_progress" || state === "done");
  return { ...plan, subtasks, state: hasBegun ? "in_progress" : "todo", finishedAt: null, outcome: null };
}
