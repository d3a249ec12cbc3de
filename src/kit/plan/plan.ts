import { z } from "zod";
import { defineSlot } from "../../core/tool/slot.ts";
import type { Slot } from "../../core/tool/types.ts";

const STATES = ["todo", "in_progress", "done", "abandoned"] as const;
/** The status of a plan or a subtask. */
export type PlanState = (typeof STATES)[number];

/** A step of a {@link Plan}. */
export type Subtask = {
  readonly name: string;
  readonly description: string;
  readonly expectedOutcome: string;
  readonly state: PlanState;
  /** The outcome; null before it is done. */
  readonly outcome: string | null;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Epoch ms; null before it is done. */
  readonly finishedAt: number | null;
};

/** A plan, as the slot of a session holds it. */
export type Plan = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly expectedOutcome: string;
  readonly state: PlanState;
  /** In the order in which they are to be done. At most one is in progress. */
  readonly subtasks: readonly Subtask[];
  /** Epoch ms. */
  readonly createdAt: number;
  /** Epoch ms; null while the plan is followed. */
  readonly finishedAt: number | null;
  /** The outcome, or the reason for which it was abandoned; null while the plan is followed. */
  readonly outcome: string | null;
};

const common = {
  name: z.string(),
  description: z.string(),
  expectedOutcome: z.string(),
  state: z.enum(STATES),
  outcome: z.string().nullable(),
  createdAt: z.number(),
  finishedAt: z.number().nullable(),
};

/** The schema of the slots of plans, also for values from a person. */
export const planSchema = z
  .strictObject({ id: z.string().min(1), ...common, subtasks: z.array(z.strictObject(common)) })
  .refine(({ subtasks }) => subtasks.filter(({ state }) => state === "in_progress").length <= 1, {
    error: "only one subtask may be in progress",
  });

/**
 * The plan that is followed; null if there is none. A person reads and writes it with `agent.slots`, over HTTP, or with
 * `agentchart sessions plan`.
 *
 * @example
 * ```ts
 * import type { Agent } from "agentchart";
 * import { planSlot } from "agentchart/plan";
 *
 * export async function rename(agent: Agent, name: string) {
 *   const { value, revision } = await agent.slots.get(planSlot);
 *   if (value) await agent.slots.set(planSlot, { ...value, name }, { revision });
 * }
 * ```
 */
export const planSlot: Slot<Plan | null> = defineSlot<Plan | null>({
  name: "plan",
  initial: null,
  schema: planSchema.nullable(),
  writableByClients: true, // a person edits the plan
});

/** The plans that were finished, abandoned or replaced, oldest first. */
export const planHistorySlot: Slot<readonly Plan[]> = defineSlot<readonly Plan[]>({
  name: "plan.history",
  initial: [],
  schema: z.array(planSchema),
});

/** The history with a plan as its newest. What is above `most` plans, or too large for a slot, is dropped, oldest first. */
export function archived(history: readonly Plan[], plan: Plan, most: number): readonly Plan[] {
  const all = [...history.filter(({ id }) => id !== plan.id), plan].slice(-most);
  while (all.length > 1 && Buffer.byteLength(JSON.stringify(all)) > MAX_HISTORY_BYTES) all.shift();
  return all;
}

/** Below the bound of a slot. */
const MAX_HISTORY_BYTES = 60_000;
