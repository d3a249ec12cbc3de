import { z } from "zod";
import type { Slot } from "../../core/tool/types.ts";
import { historyText, subtaskText } from "./markdown.ts";
import { archived, planHistorySlot, planSlot, type Plan, type Subtask } from "./plan.ts";
import { isOver, withSubtasks } from "./subtasks.ts";

/** The data on which an operation works. */
export type PlanState = {
  readonly plan: Plan | null;
  readonly history: readonly Plan[];
  /** The most subtasks of a plan. */
  readonly maxSubtasks: number;
  /** The most plans of the history. */
  readonly maxHistory: number;
  /** Epoch ms. */
  readonly at: number;
  /** The id of a plan that is created. */
  readonly newId: () => string;
};

/** The outcome of an operation: its answer, and its changes. An operation that is refused changes nothing. */
export type OperationResult = {
  readonly text: string;
  readonly isError?: true;
  readonly plan?: Plan | null;
  readonly history?: readonly Plan[];
};

/** The work of a tool of the notebook, as a pure function. */
export type Operation = {
  readonly description: string;
  readonly input: z.ZodType;
  /** The slots that it may change. */
  readonly writes: readonly Slot[];
  readonly run: (state: PlanState, input: never) => OperationResult;
};

const CURRENT: readonly Slot[] = [planSlot as Slot];
const BOTH: readonly Slot[] = [planSlot as Slot, planHistorySlot as Slot];

function operation<S extends z.ZodType>(spec: {
  readonly description: string;
  readonly input: S;
  readonly writes?: readonly Slot[];
  readonly run: (state: PlanState, input: z.output<S>) => OperationResult;
}): Operation {
  return { writes: [], ...spec };
}

/** An operation on the current plan, which is refused if there is none. */
function planOperation<S extends z.ZodType>(
  description: string,
  input: S,
  writes: readonly Slot[],
  run: (plan: Plan, input: z.output<S>, state: PlanState) => OperationResult,
): Operation {
  const refusal: OperationResult = {
    text: "The current plan is None, you need to create a plan by calling create_plan() first.",
    isError: true,
  };
  return operation({
    description,
    input,
    writes,
    run: (state, given) => (state.plan ? run(state.plan, given, state) : refusal),
  });
}

const said = (text: string | undefined): string => (text ?? "").trim();
const refused = (text: string): OperationResult => ({ text });
/** A word that the operation itself checks, so that a wrong one is answered in words. */
const word = (description: string, ...words: readonly string[]) =>
  z.string().meta({ description, enum: [...words] });
const index = (what: string) => z.int().describe(`Index of the subtask ${what}, from 0.`);

const newSubtask = z.object({
  name: z.string().describe("A short name."),
  description: z.string().optional().describe("What is to be done, with its constraints."),
  expected_outcome: z.string().optional().describe("What can be seen or measured when it is done."),
});

type NewSubtask = z.output<typeof newSubtask>;

function subtaskOf({ name, description, expected_outcome }: NewSubtask, at: number): Subtask {
  return {
    name: said(name),
    description: said(description),
    expectedOutcome: said(expected_outcome),
    state: "todo",
    outcome: null,
    createdAt: at,
    finishedAt: null,
  };
}

/** Returns the reason for which an index is refused; undefined if a subtask has it. `last` is the highest index that is right. */
function indexProblem(at: number, last: number, action?: string): string | undefined {
  if (at >= 0 && at <= last) return undefined;
  const where = action === undefined ? "" : ` for action '${action}'`;
  const range = last < 0 ? "The plan has no subtasks." : `Must be between 0 and ${last}.`;
  return `Invalid subtask_idx '${at}'${where}. ${range}`;
}

const finished = (plan: Plan, state: "done" | "abandoned", outcome: string, at: number): Plan => ({
  ...plan,
  state,
  outcome,
  finishedAt: at,
});

const createPlan = operation({
  description:
    "Creates a plan for a complex task, as a list of subtasks that are done one after the other. It takes the place of the current plan.",
  input: z.object({
    name: z.string().min(1).describe("A short name of at most ten words."),
    description: z.string().describe("What is to be reached, and within which constraints."),
    expected_outcome: z.string().describe("What can be seen or measured when the plan is done."),
    subtasks: z.array(newSubtask).describe("The subtasks, in their order."),
  }),
  writes: CURRENT,
  run({ plan: current, maxSubtasks, at, newId }, { name, description, expected_outcome, subtasks }) {
    if (subtasks.length > maxSubtasks)
      return refused(
        `Cannot create plan: it has ${subtasks.length} subtasks, and the maximum is ${maxSubtasks}. Please reduce the number of subtasks.`,
      );
    const plan: Plan = {
      id: newId(),
      name: said(name),
      description: said(description),
      expectedOutcome: said(expected_outcome),
      state: "todo",
      subtasks: subtasks.map((each) => subtaskOf(each, at)),
      createdAt: at,
      finishedAt: null,
      outcome: null,
    };
    const text = current
      ? `The current plan named '${current.name}' is replaced by the newly created plan named '${plan.name}'.`
      : `Plan '${plan.name}' created successfully.`;
    return { text, plan };
  },
});

const updatePlanInfo = planOperation(
  "Changes the name, the description or the expected outcome of the current plan. An empty string changes nothing.",
  z.object({
    name: z.string().optional(),
    description: z.string().optional(),
    expected_outcome: z.string().optional(),
  }),
  CURRENT,
  (plan, { name, description, expected_outcome }) => {
    const given = {
      name: said(name),
      description: said(description),
      expectedOutcome: said(expected_outcome),
    };
    const changed = Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ""));
    if (Object.keys(changed).length === 0)
      return refused("No changes were made. Give at least one field that is not empty.");
    const names = { name: "name", description: "description", expectedOutcome: "expected_outcome" } as const;
    const fields = Object.keys(changed).map((field) => names[field as keyof typeof names]);
    const next = { ...plan, ...changed };
    return { text: `Plan '${next.name}' updated successfully: ${fields.join(", ")}.`, plan: next };
  },
);

const reviseCurrentPlan = planOperation(
  "Adds a subtask to the current plan before the index, or revises or deletes the subtask at the index.",
  z.object({
    subtask_idx: index("to add before, to revise or to delete"),
    action: word("What to do.", "add", "revise", "delete"),
    subtask: newSubtask.partial().optional().describe("The subtask; required to add and to revise."),
  }),
  CURRENT,
  (plan, { subtask_idx: at, action, subtask }, { maxSubtasks, at: now }) => {
    if (action !== "add" && action !== "revise" && action !== "delete")
      return refused(`Invalid action '${action}'. Must be one of 'add', 'revise', 'delete'.`);
    const { subtasks } = plan;
    const problem = indexProblem(at, action === "add" ? subtasks.length : subtasks.length - 1, action);
    if (problem !== undefined) return refused(problem);
    if (action === "add" && subtasks.length >= maxSubtasks)
      return refused(
        `Cannot add more subtasks: the current plan has reached the maximum of ${maxSubtasks}. Delete a subtask first.`,
      );
    if (action === "delete")
      return {
        text: `Subtask (named '${subtasks[at]!.name}') at index ${at} is deleted successfully.`,
        plan: withSubtasks(plan, subtasks.toSpliced(at, 1)),
      };
    const name = said(subtask?.name);
    if (name === "") return refused(`The subtask must be provided, with a name, when action is '${action}'.`);
    const made = subtaskOf({ ...subtask, name }, now);
    return action === "add"
      ? {
          text: `New subtask is added successfully at index ${at}.`,
          plan: withSubtasks(plan, subtasks.toSpliced(at, 0, made)),
        }
      : {
          text: `Subtask at index ${at} is revised successfully.`,
          plan: withSubtasks(plan, subtasks.with(at, made)),
        };
  },
);

const updateSubtaskState = planOperation(
  "Sets the state of a subtask. One subtask may be in progress, and only if all before it are done or abandoned. To mark one as done, call 'finish_subtask' instead.",
  z.object({
    subtask_idx: index("to update"),
    state: word("The new state.", "todo", "in_progress", "abandoned"),
  }),
  CURRENT,
  (plan, { subtask_idx: at, state }) => {
    const { subtasks } = plan;
    const problem = indexProblem(at, subtasks.length - 1);
    if (problem !== undefined) return refused(problem);
    if (state === "done")
      return refused("To mark a subtask as done, call 'finish_subtask' instead, with its specific outcome.");
    if (state !== "todo" && state !== "in_progress" && state !== "abandoned")
      return refused(`Invalid state '${state}'. Must be one of 'todo', 'in_progress', 'abandoned'.`);
    if (state === "in_progress") {
      const open = subtasks.findIndex((each) => !isOver(each));
      if (open >= 0 && open < at)
        return refused(
          `Subtask (at index ${open}) named '${subtasks[open]!.name}' is not done yet. You should finish the previous subtasks first.`,
        );
      const running = subtasks.findIndex((each) => each.state === "in_progress");
      if (running >= 0)
        return refused(
          `Subtask (at index ${running}) named '${subtasks[running]!.name}' is already 'in_progress'. You should finish it first before starting another subtask.`,
        );
    }
    const next: Subtask = { ...subtasks[at]!, state, outcome: null, finishedAt: null };
    return {
      text: `Subtask at index ${at}, named '${next.name}' is marked as '${state}' successfully.`,
      plan: withSubtasks(plan, subtasks.with(at, next)),
    };
  },
);

const finishSubtask = planOperation(
  "Marks a subtask as done with its outcome, and begins the next one.",
  z.object({
    subtask_idx: index("that is done"),
    subtask_outcome: z
      .string()
      .describe("What came of it: the data, the finding or the path of the file, and not that it was done."),
  }),
  CURRENT,
  (plan, { subtask_idx: at, subtask_outcome }, { at: now }) => {
    const { subtasks } = plan;
    const problem = indexProblem(at, subtasks.length - 1);
    if (problem !== undefined) return refused(problem);
    const open = subtasks.findIndex((each) => !isOver(each));
    if (open >= 0 && open < at)
      return refused(
        `Cannot finish subtask at index ${at} because the previous subtask (at index ${open}) named '${subtasks[open]!.name}' is not done yet. You should finish the previous subtasks first.`,
      );
    const ended: Subtask = { ...subtasks[at]!, state: "done", outcome: subtask_outcome, finishedAt: now };
    const after = subtasks.with(at, ended);
    const text = `Subtask (at index ${at}) named '${ended.name}' is marked as done successfully.`;
    const next = after.findIndex((each) => !isOver(each));
    const isLast = next < 0 || after.some(({ state }) => state === "in_progress");
    if (isLast) return { text, plan: withSubtasks(plan, after) };
    const begun: Subtask = { ...after[next]!, state: "in_progress" };
    return {
      text: `${text} The next subtask (at index ${next}) named '${begun.name}' is activated.`,
      plan: withSubtasks(plan, after.with(next, begun)),
    };
  },
);

const viewSubtasks = planOperation(
  "Shows subtasks of the current plan with all their fields.",
  z.object({ subtask_idx: z.array(z.int()).describe("Indexes of the subtasks, from 0.") }),
  [],
  ({ subtasks }, { subtask_idx }) => {
    const shown = subtask_idx.map(
      (at) =>
        indexProblem(at, subtasks.length - 1) ??
        `Subtask at index ${at}:\n\`\`\`\n${subtaskText(subtasks[at]!)}\n\`\`\``,
    );
    return { text: shown.length > 0 ? shown.join("\n\n") : "No subtask_idx was given." };
  },
);

const getSubtaskCount = operation({
  description: "Says how many subtasks the current plan has, by their states.",
  input: z.object({}),
  run({ plan }) {
    if (!plan) return { text: "There is no active plan. Please create a plan first." };
    const count = (state: string): number => plan.subtasks.filter((each) => each.state === state).length;
    const states = ["done", "in_progress", "todo", "abandoned"].map((state) => `${count(state)} ${state}`);
    return {
      text: `Current plan '${plan.name}' has ${plan.subtasks.length} subtask(s): ${states.join(", ")}.`,
    };
  },
});

const finishPlan = operation({
  description:
    "Ends the current plan: as done with its outcome, or as abandoned with the reason, if the user no longer wants it.",
  input: z.object({
    state: word("How the plan ends.", "done", "abandoned"),
    outcome: z.string().describe("The specific outcome of the plan, or the reason why it is abandoned."),
  }),
  writes: BOTH,
  run({ plan, history, maxHistory, at }, { state, outcome }) {
    if (!plan) return { text: "There is no plan to finish." };
    if (state !== "done" && state !== "abandoned")
      return refused(`Invalid state '${state}'. Must be 'done' or 'abandoned'.`);
    return {
      text: `The current plan is finished successfully as '${state}'.`,
      plan: null,
      history: archived(history, finished(plan, state, outcome, at), maxHistory),
    };
  },
});

const viewHistoricalPlans = operation({
  description: "Lists the plans of the past with their ids.",
  input: z.object({}),
  run: ({ history }) => ({
    text: history.length > 0 ? history.map(historyText).join("\n\n") : "No historical plans found.",
  }),
});

const recoverHistoricalPlan = operation({
  description:
    "Makes a plan of the past the current one, by the id that 'view_historical_plans' shows. A current plan goes to the history.",
  input: z.object({ plan_id: z.string().describe("The id of the plan.") }),
  writes: BOTH,
  run({ plan: current, history, maxHistory, at }, { plan_id }) {
    const plan = history.find(({ id }) => id === plan_id);
    if (!plan) return { text: `Plan ${plan_id} does not exist.`, isError: true };
    if (!current)
      return {
        text: `Historical plan named '${plan.name}' with ID '${plan.id}' is recovered successfully.`,
        plan,
      };
    const reason = `The plan execution is interrupted by a new plan with ID '${plan.id}'.`;
    const left = current.state === "done" ? current : finished(current, "abandoned", reason, at);
    return {
      text: `The current plan named '${current.name}' is replaced by the historical plan named '${plan.name}' with ID '${plan.id}'.`,
      plan,
      history: archived(history, left, maxHistory),
    };
  },
});

/** The ten operations, by the names of their tools. */
export const OPERATIONS = {
  create_plan: createPlan,
  update_plan_info: updatePlanInfo,
  revise_current_plan: reviseCurrentPlan,
  update_subtask_state: updateSubtaskState,
  finish_subtask: finishSubtask,
  view_subtasks: viewSubtasks,
  get_subtask_count: getSubtaskCount,
  finish_plan: finishPlan,
  view_historical_plans: viewHistoricalPlans,
  recover_historical_plan: recoverHistoricalPlan,
} satisfies { readonly [name: string]: Operation };

/** The name of a tool of the plan notebook. */
export type PlanTool = keyof typeof OPERATIONS;
