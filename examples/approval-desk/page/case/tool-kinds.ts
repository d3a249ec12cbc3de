const PLAN_TOOLS: ReadonlySet<string> = new Set([
  "create_plan",
  "update_plan_info",
  "revise_current_plan",
  "update_subtask_state",
  "finish_subtask",
  "view_subtasks",
  "get_subtask_count",
  "finish_plan",
  "view_historical_plans",
  "recover_historical_plan",
]);

/** True for a tool of the plan notebook: the plan is shown beside the conversation. */
export const isPlanTool = (name: string): boolean => PLAN_TOOLS.has(name);

/** True for a tool that is an agent. */
export const isAgentTool = (name: string): boolean => name === "investigate";
