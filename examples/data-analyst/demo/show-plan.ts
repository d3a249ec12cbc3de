import type { AgentEvent } from "agentchart";
import { planNotebook, planSlot, type Plan } from "agentchart/plan";

/** The plan that the analyst keeps. It begins without asking: the question is the order. */
export const NOTEBOOK = planNotebook({ needUserConfirm: false, maxSubtasks: 10 });

const MARKS = { todo: "[ ]", in_progress: "[>]", done: "[x]", abandoned: "[-]" };

/** The line of a changed plan; undefined for any other event. */
export function planLine(event: AgentEvent): string | undefined {
  if (event.type !== "slot" || event.name !== planSlot.name) return undefined;
  const plan = event.value as Plan | null;
  if (!plan) return "Plan: finished";
  const subtasks = plan.subtasks.map(({ name, state }) => `${MARKS[state]} ${name}`);
  return `Plan: ${plan.name}: ${subtasks.join("  ")}`;
}
