import { randomUUID } from "node:crypto";
import type { AgentSlots } from "../../agent/types.ts";
import { configError } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { check, nameOf } from "../../core/base/options.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Hook } from "../../core/hook/types.ts";
import { userMsg } from "../../core/message/msg.ts";
import { defineTool } from "../../core/tool/define.ts";
import { toolError } from "../../core/tool/suspend.ts";
import type { SlotReader, SlotWrites, Tool } from "../../core/tool/types.ts";
import { planHint } from "./hint.ts";
import {
  OPERATIONS,
  type PlanState,
  type OperationResult,
  type Operation,
  type PlanTool,
} from "./operations.ts";
import { planHistorySlot, planSlot, type Plan } from "./plan.ts";

/** Options of {@link planNotebook}. */
export type PlanNotebookOptions = {
  /** The most subtasks of a plan; default: no bound. */
  readonly maxSubtasks?: number | undefined;
  /** Whether the model is told to ask the user before it begins with a plan; default true. */
  readonly needUserConfirm?: boolean | undefined;
  /** Returns what the model is told before each answer; undefined for nothing. Default: the hint of the plan's state. */
  readonly hint?: ((plan: Plan | null) => string | undefined) | undefined;
  /** The number of plans of the past that are retained; default 20. */
  readonly history?: number | undefined;
  /** The group of the tools, which the agent's toolkit must have; default: they are always active. */
  readonly group?: string | undefined;
};

/** The outcome of {@link PlanNotebook.edit}. */
export type PlanEdit = {
  /** The text that the tool would have told the model. */
  readonly text: string;
  /** False if the operation was refused, or only looks. */
  readonly isChanged: boolean;
};

/** A plan that an agent makes and follows, and that a person may edit. Made by {@link planNotebook}. */
export type PlanNotebook = {
  /** Give it to the agent as one of its `hooks`. It brings the tools and the hint. */
  readonly hook: Hook;
  /** The ten tools, for an agent that wants no hint. */
  readonly tools: readonly Tool[];
  /** Does for a person what a tool does for the model. `seen` is the revision of `planSlot` that the person has seen. Rejects
   *  `slot/conflict` if the plan was changed since, or a running call may change it, and `config/invalid` for a wrong input. */
  edit(
    agent: { readonly slots: AgentSlots },
    tool: PlanTool,
    input: JsonObject,
    seen?: { readonly revision: number },
  ): Promise<PlanEdit>;
};

/** The schema of {@link PlanNotebookOptions}. */
export const notebookSchema = s.lazily(() =>
  s.options<PlanNotebookOptions>({
    maxSubtasks: s.optional(s.integer(1)),
    needUserConfirm: s.optional(s.boolean()),
    hint: s.optional(s.func()),
    history: s.optional(s.integer(1)),
    group: s.optional(s.nonEmpty()),
  }),
);

const isTool = (name: unknown): name is PlanTool => Object.hasOwn(OPERATIONS, String(name));

/** Returns the changes that an operation has made, as a tool returns them. */
function writesOf({ plan, history }: OperationResult): SlotWrites {
  return {
    ...(history && { [planHistorySlot.name]: history }),
    ...(plan !== undefined && { [planSlot.name]: plan }),
  };
}

function toolOf(
  name: string,
  { description, input, writes, run }: Operation,
  planOf: (slots: SlotReader) => PlanState,
  group: string | undefined,
): Tool {
  return defineTool({
    name,
    description,
    input,
    writes,
    idempotent: true,
    deferred: false,
    ...(group !== undefined && { groups: [group] }),
    execute: (given, { slots }) => {
      const done = run(planOf(slots), given as never);
      if (done.isError) return toolError(done.text);
      return { output: [{ type: "text", text: done.text }], slots: writesOf(done) };
    },
  });
}

/**
 * Lets an agent make a plan for a complex task and follow it, one subtask after the other, as AgentScope's PlanNotebook does. There are ten
 * tools, and a hint behind the messages of each model call, which is never stored. The plan is in slots of the session, so it is stored
 * with the results of the tools, restored, forked and exported. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel } from "agentchart";
 * import { planNotebook } from "agentchart/plan";
 *
 * const notebook = planNotebook({ maxSubtasks: 8, needUserConfirm: false });
 *
 * export const agentOf = (model: ChatModel) => createAgent({ name: "planner", model, hooks: [notebook.hook] });
 * ```
 */
export function planNotebook(options: PlanNotebookOptions = {}): PlanNotebook {
  check(notebookSchema(), options, "planNotebook");
  const { maxSubtasks = Infinity, needUserConfirm = true, history = 20, group } = options;
  const { hint = (plan: Plan | null) => planHint(plan, { needUserConfirm, maxSubtasks }) } = options;
  const limits = { maxSubtasks, maxHistory: history, newId: randomUUID };
  const planOf = (slots: SlotReader): PlanState => ({
    ...limits,
    plan: slots.get(planSlot),
    history: slots.get(planHistorySlot),
    at: Date.now(),
  });
  const tools = Object.entries(OPERATIONS).map(([name, each]) => toolOf(name, each, planOf, group));
  const hook: Hook = {
    name: "plan",
    priority: 140,
    tools,
    preReasoning: ({ slots, tools: offered }) => {
      if (!offered.includes("create_plan")) return undefined;
      const text = hint(slots.get(planSlot));
      return text === undefined ? undefined : { append: [userMsg(text)] };
    },
  };
  return {
    hook,
    tools,
    async edit(agent, tool, input, seen) {
      if (!isTool(tool))
        throw configError(
          `plan.edit: '${String(tool)}' is not a tool of the notebook; use ${Object.keys(OPERATIONS).join(", ")}.`,
        );
      const operation: Operation = OPERATIONS[tool];
      const read = operation.input.safeParse(input);
      if (!read.success) {
        const { path, message } = read.error.issues[0]!;
        const where = nameOf(path) ?? "The input";
        throw configError(`plan.edit, ${tool}: ${where}: ${message}.`);
      }
      const { value: plan, revision } = await agent.slots.get(planSlot);
      const past = await agent.slots.get(planHistorySlot);
      const state: PlanState = { ...limits, plan, history: past.value, at: Date.now() };
      const done = operation.run(state, read.data as never);
      if (done.plan === undefined) return { text: done.text, isChanged: false };
      const setHistory = (value: readonly Plan[], at: number) =>
        agent.slots.set(planHistorySlot, value, { revision: at });
      // the history is first, which takes a plan again without doubling it: a process that ends between both loses no plan
      const made = { revision: seen?.revision ?? revision };
      const isArchived = done.history !== undefined && made.revision === revision;
      if (isArchived) await setHistory(done.history!, past.revision);
      try {
        await agent.slots.set(planSlot, done.plan, made);
      } catch (error) {
        if (isArchived) await setHistory(past.value, past.revision + 1).catch(() => {});
        throw error;
      }
      return { text: done.text, isChanged: true };
    },
  };
}
