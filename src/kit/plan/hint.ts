import { planText, subtaskText } from "./markdown.ts";
import type { Plan } from "./plan.ts";
import { isOver } from "./subtasks.ts";

/** The rules that a hint states beside the plan. */
export type HintRules = { readonly needUserConfirm: boolean; readonly maxSubtasks: number };

const CONFIRM = `WAIT FOR USER CONFIRMATION:
- Show the plan to the user before anything of it is done, and ask: "Should I proceed with this plan?"
- Begin when the user agrees, such as with "yes" or "go ahead". A request that asks to execute it is an agreement.
- Answer anything else that the user says, and DO NOT begin.`;

const COMMON = `- Before each subtask call get_subtask_count and view_subtasks, and work on what they say: it counts more than the first request.
- The user may add, change and delete subtasks without telling you. Always follow the latest plan.
- Do not modify the plan unless the user asks for it.
- Answer in the language of the plan.`;

const ASIDE =
  "- If the user asks for something that is not about the plan, do that first, and then return to the plan.";
const REVISE = "- Revise the plan by calling 'revise_current_plan' if necessary.";
const ASK = "- Ask the user if you need to know more.";

const rules = (...parts: readonly string[]): string =>
  ["Important rules:", ...parts.filter(Boolean)].join("\n");
const shown = (plan: Plan): string => `The current plan:\n\`\`\`\n${planText(plan)}\n\`\`\``;
const options = (...lines: readonly string[]): string =>
  ["Your options include:", ...lines, ASIDE].join("\n");

function withoutPlan({ needUserConfirm, maxSubtasks }: HintRules): string {
  const limit = Number.isFinite(maxSubtasks) ? `- A plan has no more than ${maxSubtasks} subtasks.` : "";
  const asked =
    "If the user's query is complex (such as a program, a website or a game), or takes many steps (such as research in several sources), you NEED to create a plan first by calling 'create_plan'. Otherwise answer the query directly, without a plan.";
  return needUserConfirm || limit ? `${asked}\n${rules(needUserConfirm ? CONFIRM : "", limit)}` : asked;
}

function withPlan(plan: Plan, { needUserConfirm }: HintRules): string {
  const { subtasks } = plan;
  const at = subtasks.findIndex(({ state }) => state === "in_progress");
  const running = subtasks[at];
  const next = subtasks.findIndex((each) => !isOver(each));
  const done = subtasks.filter(({ state }) => state === "done").length;
  if (next < 0)
    return `${shown(plan)}
All the subtasks are done. ${options(
      "- Finish the plan by calling 'finish_plan' with its specific outcome, and tell the user what was done and what came of it.",
      REVISE,
    )}`;
  if (running)
    return `${shown(plan)}
The subtask at index ${at}, named '${running.name}', is 'in_progress':
\`\`\`
${subtaskText(running)}
\`\`\`
${options(
  "- Go on with the subtask.",
  "- Call 'finish_subtask' with its specific outcome when it is done.",
  ASK,
  REVISE,
)}
${rules(COMMON)}`;
  const begin = `by calling 'update_subtask_state' with subtask_idx=${next} and state='in_progress'`;
  if (done === 0)
    return `${shown(plan)}
${options(
  `- Mark the first subtask as 'in_progress' ${begin}, and begin with it.`,
  "- If it cannot be done, find out what helps: ask the user, or call 'revise_current_plan'.",
  "- If the user no longer wants the plan, make sure of that and call 'finish_plan'.",
)}
${rules(needUserConfirm ? CONFIRM : "", COMMON)}`;
  return `${shown(plan)}
The first ${next} subtasks are done, and there is no subtask 'in_progress'. ${options(
    `- Mark the next subtask as 'in_progress' ${begin}, and begin with it.`,
    ASK,
    REVISE,
  )}
${rules(COMMON)}`;
}

/** Returns the text that the model is told about its plan before each answer. */
export function planHint(plan: Plan | null, about: HintRules): string {
  return `<system-hint>${plan ? withPlan(plan, about) : withoutPlan(about)}</system-hint>`;
}
