import { z } from "zod";
import type { Hook } from "../../core/hook/types.ts";
import { userMsg } from "../../core/message/msg.ts";
import { defineTool } from "../../core/tool/define.ts";
import { defineSlot } from "../../core/tool/slot.ts";
import type { Slot, Tool } from "../../core/tool/types.ts";

const todo = z.object({
  content: z.string().min(1).describe("What is to be done."),
  status: z.enum(["pending", "in_progress", "completed"]),
});

const NAME = "write_todos";
const MARKS = { pending: "[ ]", in_progress: "[>]", completed: "[x]" } as const;

/** An item of the list that `write_todos` writes. */
export type Todo = { readonly content: string; readonly status: "pending" | "in_progress" | "completed" };

/** The list that {@link todoTool} writes. */
export const todoSlot: Slot<readonly Todo[]> = defineSlot<readonly Todo[]>({
  name: "todos",
  initial: [],
  schema: z.array(todo),
});

/**
 * The simplest plan: one tool, `write_todos`, with which the model replaces a list of things to do. Most models are trained on it.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel } from "agentchart";
 * import { todoSlot, todoTool } from "agentchart/plan";
 *
 * export const agentOf = (model: ChatModel) => createAgent({ name: "clerk", model, tools: [todoTool()] });
 * export const openOf = async (agent: ReturnType<typeof agentOf>) =>
 *   (await agent.slots.get(todoSlot)).value.filter(({ status }) => status !== "completed");
 * ```
 */
export function todoTool(): Tool {
  return defineTool({
    name: NAME,
    description:
      "Writes the list of what is to be done for a task of three or more steps; it replaces the list before. Mark an item as in_progress before you begin with it, and as completed as soon as it is done.",
    input: z.object({ todos: z.array(todo).describe("The whole list, in order.") }),
    writes: [todoSlot as Slot],
    idempotent: true,
    execute: ({ todos }) => {
      const done = todos.filter(({ status }) => status === "completed").length;
      return {
        output: [{ type: "text", text: `The list has ${todos.length} items, ${done} of them completed.` }],
        slots: { [todoSlot.name]: todos },
      };
    },
  });
}

/**
 * Shows the list that {@link todoTool} writes behind the messages of each model call, as long as something of it is open. In a long turn
 * and after a compaction the model still has it. The hint is never stored.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel } from "agentchart";
 * import { todoHint, todoTool } from "agentchart/plan";
 *
 * export const agentOf = (model: ChatModel) =>
 *   createAgent({ name: "clerk", model, tools: [todoTool()], hooks: [todoHint()] });
 * ```
 */
export function todoHint(): Hook {
  return {
    name: "todos",
    priority: 140,
    preReasoning: ({ slots, tools }) => {
      const todos = slots.get(todoSlot);
      const isOpen = todos.some(({ status }) => status !== "completed");
      if (!isOpen || !tools.includes(NAME)) return undefined;
      const lines = todos.map(({ content, status }) => `${MARKS[status]} ${content}`);
      const text = `The list of what is to be done ([x]: completed, [>]: in progress):
${lines.join("\n")}
Go on with it, and keep it up to date with '${NAME}'. Do not mention this hint.`;
      return { append: [userMsg(`<system-hint>${text}</system-hint>`)] };
    },
  };
}
